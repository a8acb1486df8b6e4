import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../../routes.tsx';
import { jobsSearch } from './search.ts';

const jobsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/jobs',
  validateSearch: jobsSearch,
  component: lazyRouteComponent(() => import('./JobsPage.tsx'), 'JobsPage'),
});

const newJobRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/jobs/new',
  validateSearch: z.object({
    /** The job whose kind and data are taken over. */
    from: z.string().optional().catch(undefined),
    kind: z.string().optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./NewJobPage.tsx'), 'NewJobPage'),
});

const jobRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/jobs/$id',
  component: lazyRouteComponent(() => import('./JobPage.tsx'), 'JobPage'),
});

export const jobRoutes = [jobsRoute, newJobRoute, jobRoute] as const;
