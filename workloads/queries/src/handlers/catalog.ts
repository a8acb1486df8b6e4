import type { Field } from '@millrace/marketing-cloud';
import { type HandlersOf, iso, ok } from '@millrace/workload-kit';
import type { CatalogField, catalogContracts } from '../contract/catalog.ts';
import { QueryError } from '../errors.ts';
import { VIEWS } from '../sql/views.ts';
import type { QueriesWithin } from '../within.ts';

export function catalogHandlers({
  catalog,
  mid: pick,
  mids,
}: QueriesWithin): HandlersOf<typeof catalogContracts> {
  return {
    async getCatalog({ query }) {
      const mid = pick(query.mid);
      const { dataExtensions, ageMs } = await catalog.list(mid, query.refresh === 'true');
      const wanted = query.dataExtension?.toLowerCase();
      const shown = dataExtensions.filter(
        ({ name, customerKey }) =>
          wanted === undefined || [name.toLowerCase(), customerKey.toLowerCase()].includes(wanted),
      );
      const dataViews = DATA_VIEWS.filter(
        ({ name }) => wanted === undefined || name.toLowerCase() === wanted,
      );
      if (wanted !== undefined && shown.length + dataViews.length === 0)
        throw new QueryError(
          'data_extension_not_found',
          `The business unit ${mid} has no data extension "${query.dataExtension}", and there is no such data view.`,
        );
      const listed = await Promise.all(
        shown.map(async ({ name, customerKey, folders }) => {
          const fields = wanted === undefined ? null : await catalog.fields(mid, customerKey);
          return {
            name,
            customerKey,
            folders: [...folders],
            fields: fields?.map(fieldJson) ?? null,
          };
        }),
      );
      return ok({
        mid,
        mids: [...mids()],
        dataExtensions: listed,
        dataViews,
        fetchedAt: iso(Date.now() - ageMs),
      });
    },
  };
}

const DATA_VIEWS = [...VIEWS.values()].map(({ name, fields }) => ({
  name,
  fields: fields.map(fieldJson),
}));

function fieldJson(field: Field): CatalogField {
  const { name, type, maxLength = null, isPrimaryKey = false, isRequired = false } = field;
  return { name, type, maxLength, isPrimaryKey, isRequired };
}
