import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../../routes.tsx';

export const overviewRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/',
    validateSearch: z.object({
      window: z.enum(['15m', '1h', '24h', '7d']).optional().catch(undefined),
    }),
    component: lazyRouteComponent(() => import('./OverviewPage.tsx'), 'OverviewPage'),
  }),
] as const;
