import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../routes.tsx';
import { whenNeeded } from '../../shell/whenNeeded.tsx';

export const welcomeRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/welcome',
    component: whenNeeded(() => import('./WelcomePage.tsx').then(({ WelcomePage }) => WelcomePage)),
  }),
] as const;
