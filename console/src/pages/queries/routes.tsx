import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../../routes.tsx';
import { whenNeeded } from '../../shell/whenNeeded.tsx';

export const queryRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/queries',
    validateSearch: z.strictObject({
      /** A run that somebody else sent the link of: opened in a tab of its own. */
      run: z.string().optional(),
    }),
    component: whenNeeded(() => import('./QueriesPage.tsx').then(({ QueriesPage }) => QueriesPage)),
  }),
] as const;
