import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../../routes.tsx';
import { whenNeeded } from '../../shell/whenNeeded.tsx';
import { jobsSearch } from './search.ts';

const jobsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/jobs',
  validateSearch: jobsSearch,
  component: whenNeeded(() => import('./JobsPage.tsx').then(({ JobsPage }) => JobsPage)),
});

const newJobRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/jobs/new',
  validateSearch: z.strictObject({
    /** The job whose kind and data are taken over. */
    from: z.string().optional(),
    kind: z.string().optional(),
  }),
  component: whenNeeded(() => import('./NewJobPage.tsx').then(({ NewJobPage }) => NewJobPage)),
});

const jobRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/jobs/$id',
  component: whenNeeded(() => import('./JobPage.tsx').then(({ JobPage }) => JobPage)),
});

export const jobRoutes = [jobsRoute, newJobRoute, jobRoute] as const;
