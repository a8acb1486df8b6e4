import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../../routes.tsx';

/** The run that is shown; the newest where it is left out. */
const search = z.object({ run: z.string().optional().catch(undefined) });

export const pipelineRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/pipelines',
    validateSearch: search,
    component: lazyRouteComponent(() => import('./PipelinesPage.tsx'), 'PipelinesPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/pipelines/$name',
    validateSearch: search,
    component: lazyRouteComponent(() => import('./PipelinesPage.tsx'), 'PipelinesPage'),
  }),
] as const;
