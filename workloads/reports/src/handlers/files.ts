import { type HandlersOf, download, ok } from '@millrace/workload-kit';
import type { fileContracts } from '../contract/files.ts';
import { fileOf } from '../file-of-run.ts';
import type { ReportsWithin } from '../within.ts';
import { firstOf } from './first.ts';

export function fileHandlers({
  runs,
  outputs,
  metrics,
  requireRows,
}: ReportsWithin): HandlersOf<typeof fileContracts> {
  return {
    async downloadReportFile({ params: { id }, headers, caller, signal }) {
      const run = await runs.get(id);
      await requireRows(run, caller);
      const { place, sha256, name, mediaType } = fileOf(run);
      const answer = download(
        {
          name,
          mediaType,
          size: place.bytes,
          etag: sha256,
          read: (range) => outputs.read(place, range, signal),
        },
        headers.range,
      );
      // A file that is gone is refused with its own status, before anything is answered.
      const bytes = await firstOf(answer.bytes);
      metrics.downloaded();
      return { ...answer, bytes };
    },
    async deleteReportFile({ params: { id }, caller }) {
      const run = await runs.get(id);
      await requireRows(run, caller);
      const { place } = fileOf(run);
      await outputs.remove(place);
      await runs.fileGone(run);
      metrics.removed('asked');
      return ok({ removed: id });
    },
  };
}
