import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../../routes.tsx';
import { whenNeeded } from '../../shell/whenNeeded.tsx';

/** The run that is shown; the newest where it is left out. */
const search = z.strictObject({ run: z.string().optional() });

export const pipelineRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/pipelines',
    validateSearch: search,
    component: whenNeeded(() =>
      import('./PipelinesPage.tsx').then(({ PipelinesPage }) => PipelinesPage),
    ),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/pipelines/$name',
    validateSearch: search,
    component: whenNeeded(() =>
      import('./PipelinesPage.tsx').then(({ PipelinesPage }) => PipelinesPage),
    ),
  }),
] as const;
