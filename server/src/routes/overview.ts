import { iso } from '@millrace/workload-kit';
import { type Handlers, type RouteParts, ok } from '../http/handler.ts';

export function overviewHandlers({
  figures,
}: Pick<RouteParts, 'figures'>): Handlers<'overview' | 'history'> {
  return {
    async overview({ query }) {
      return ok(await figures.overview(query.window));
    },
    async history({ query: { kind, tenant, from, to } }) {
      const { bucketMs, buckets, ...range } = await figures.history({
        kind,
        tenant,
        from: from === undefined ? undefined : Date.parse(from),
        to: to === undefined ? undefined : Date.parse(to),
      });
      return ok({
        from: iso(range.from),
        to: iso(range.to),
        bucketSeconds: bucketMs / 1_000,
        buckets: [...buckets],
      });
    },
  };
}
