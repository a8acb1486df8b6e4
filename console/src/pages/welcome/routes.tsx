import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../routes.tsx';

export const welcomeRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/welcome',
    component: lazyRouteComponent(() => import('./WelcomePage.tsx'), 'WelcomePage'),
  }),
] as const;
