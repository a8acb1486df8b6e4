import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../../routes.tsx';
import { whenNeeded } from '../../shell/whenNeeded.tsx';

export const overviewRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/',
    validateSearch: z.strictObject({
      window: z.enum(['15m', '1h', '24h', '7d']).optional(),
    }),
    component: whenNeeded(() =>
      import('./OverviewPage.tsx').then(({ OverviewPage }) => OverviewPage),
    ),
  }),
] as const;
