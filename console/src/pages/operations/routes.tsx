import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../../routes.tsx';
import { whenNeeded } from '../../shell/whenNeeded.tsx';
import { OPERATION_TABS } from './tabs.ts';

export const operationsRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/operations',
    validateSearch: z.object({
      tab: z.enum(OPERATION_TABS).optional().catch(undefined),
      /** Of the audit log. */
      actor: z.string().optional().catch(undefined),
      action: z.string().optional().catch(undefined),
      cursor: z.string().optional().catch(undefined),
    }),
    component: whenNeeded(() =>
      import('./OperationsPage.tsx').then(({ OperationsPage }) => OperationsPage),
    ),
  }),
] as const;
