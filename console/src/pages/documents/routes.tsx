import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../../routes.tsx';
import { whenNeeded } from '../../shell/whenNeeded.tsx';

const documentsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/documents',
  validateSearch: z.strictObject({
    tab: z.enum(['batches', 'templates', 'files']).optional(),
    /** Files of one batch or one version of a template. */
    batch: z.string().optional(),
    template: z.string().optional(),
    /** The cursor of the page. */
    after: z.string().optional(),
  }),
  component: whenNeeded(() =>
    import('./DocumentsPage.tsx').then(({ DocumentsPage }) => DocumentsPage),
  ),
});

const newBatchRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/documents/new',
  validateSearch: z.strictObject({
    template: z.string().optional(),
    row: z.coerce.number<number | string>().int().min(1).optional(),
    /** The kept batch that is done again, by its name. */
    again: z.string().optional(),
  }),
  component: whenNeeded(() =>
    import('./new/NewBatchPage.tsx').then(({ NewBatchPage }) => NewBatchPage),
  ),
});

const batchRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/documents/batches/$id',
  validateSearch: z.strictObject({
    /** The row whose page is shown. */
    row: z.coerce.number<number | string>().int().min(1).optional(),
    show: z.enum(['failed', 'all']).optional(),
    after: z.string().optional(),
  }),
  component: whenNeeded(() => import('./batch/BatchPage.tsx').then(({ BatchPage }) => BatchPage)),
});

const templateRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/documents/templates/$name',
  validateSearch: z.strictObject({
    /** A version other than the newest, such as `tpl-7`. */
    version: z.string().optional(),
    /** The version that it is compared with. */
    with: z.string().optional(),
  }),
  component: whenNeeded(() =>
    import('./studio/TemplatePage.tsx').then(({ TemplatePage }) => TemplatePage),
  ),
});

export const documentRoutes = [documentsRoute, newBatchRoute, batchRoute, templateRoute] as const;
