import { type HandlersOf, fileHeaders, ok } from '@millrace/workload-kit';
import type { resultContracts } from '../contract/results.ts';
import { resultFile, resultPage } from '../results/results.ts';
import type { QueriesWithin } from '../within.ts';

export function resultHandlers({
  runs,
  rowsetOf,
}: QueriesWithin): HandlersOf<typeof resultContracts> {
  return {
    async getRunResults({ params: { id }, query, correlationId, signal }) {
      const run = await runs.get(id);
      return ok(await resultPage(run, rowsetOf(run), { ...query, correlationId, signal }));
    },
    async downloadRunResults({ params: { id, format }, correlationId, signal }) {
      const run = await runs.get(id);
      const options = { correlationId, signal };
      const { name, mediaType, bytes } = await resultFile(run, rowsetOf(run), format, options);
      return { ...ok(undefined), bytes, headers: fileHeaders(name, mediaType) };
    },
  };
}
