import { iso } from '@millrace/workload-kit';
import { type Handlers, type RouteParts, ok } from '../http/handler.ts';

export function errorGroupHandlers({
  figures,
}: Pick<RouteParts, 'figures'>): Handlers<'errorGroups'> {
  return {
    async errorGroups({ query }) {
      const { at, ...found } = await figures.errors(query.kind);
      return ok({ at: iso(at), ...found });
    },
  };
}
