import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../../routes.tsx';
import { whenNeeded } from '../../shell/whenNeeded.tsx';

const search = z.strictObject({ view: z.enum(['graph']).optional() });

export const reportRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/reports',
    validateSearch: search,
    component: whenNeeded(() => import('./ReportsPage.tsx').then(({ ReportsPage }) => ReportsPage)),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/reports/$name',
    validateSearch: search,
    component: whenNeeded(() => import('./ReportsPage.tsx').then(({ ReportsPage }) => ReportsPage)),
  }),
] as const;
