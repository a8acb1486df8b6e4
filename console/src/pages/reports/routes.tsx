import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../../routes.tsx';

const search = z.object({ view: z.enum(['graph']).optional().catch(undefined) });

export const reportRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/reports',
    validateSearch: search,
    component: lazyRouteComponent(() => import('./ReportsPage.tsx'), 'ReportsPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/reports/$name',
    validateSearch: search,
    component: lazyRouteComponent(() => import('./ReportsPage.tsx'), 'ReportsPage'),
  }),
] as const;
