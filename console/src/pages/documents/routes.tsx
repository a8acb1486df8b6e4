import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../../routes.tsx';

const documentsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/documents',
  validateSearch: z.object({
    tab: z.enum(['batches', 'templates', 'files']).optional().catch(undefined),
    /** Files of one batch or one version of a template. */
    batch: z.string().optional().catch(undefined),
    template: z.string().optional().catch(undefined),
    /** The cursor of the page. */
    after: z.string().optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./DocumentsPage.tsx'), 'DocumentsPage'),
});

const newBatchRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/documents/new',
  validateSearch: z.object({
    template: z.string().optional().catch(undefined),
    /** Without it: the files. */
    step: z.enum(['map']).optional().catch(undefined),
    row: z.number().int().min(1).optional().catch(undefined),
    /** The kept batch that is done again, by its name. */
    again: z.string().optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./new/NewBatchPage.tsx'), 'NewBatchPage'),
});

const batchRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/documents/batches/$id',
  validateSearch: z.object({
    /** The row whose page is shown. */
    row: z.number().int().min(1).optional().catch(undefined),
    show: z.enum(['failed', 'all']).optional().catch(undefined),
    after: z.string().optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./batch/BatchPage.tsx'), 'BatchPage'),
});

const templateRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/documents/templates/$name',
  validateSearch: z.object({
    /** A version other than the newest, such as `tpl-7`. */
    version: z.string().optional().catch(undefined),
    /** The version that it is compared with. */
    with: z.string().optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./studio/TemplatePage.tsx'), 'TemplatePage'),
});

export const documentRoutes = [documentsRoute, newBatchRoute, batchRoute, templateRoute] as const;
