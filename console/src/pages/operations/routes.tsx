import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../../routes.tsx';
import { whenNeeded } from '../../shell/whenNeeded.tsx';
import { OPERATION_TABS } from './tabs.ts';

export const operationsRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/operations',
    validateSearch: z.strictObject({
      tab: z.enum(OPERATION_TABS).optional(),
      /** The filter of the audit log. */
      actor: z.string().optional(),
      action: z.string().optional(),
      cursor: z.string().optional(),
    }),
    component: whenNeeded(() =>
      import('./OperationsPage.tsx').then(({ OperationsPage }) => OperationsPage),
    ),
  }),
] as const;
