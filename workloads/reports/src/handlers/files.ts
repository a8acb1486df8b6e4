import { fileTypeOf } from '@millrace/tables';
import { type HandlersOf, download, ok } from '@millrace/workload-kit';
import type { fileContracts } from '../contract/files.ts';
import { ReportError } from '../errors.ts';
import type { FilePlace } from '../outputs/types.ts';
import { placeOf } from '../reports.ts';
import { type RunSight, hasFile, isOver } from '../runs/sight.ts';
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
      const { place, sha256 } = fileOf(run);
      const answer = download(
        {
          name: run.fileName ?? `${run.report}.${run.format}`,
          mediaType: mediaTypeOf(run),
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

/** Packed files are what their packing is: nobody unpacks them on the way. */
function mediaTypeOf({ format, compression }: RunSight): string {
  if (compression === null) return fileTypeOf(format).mediaType;
  return compression === 'gzip' ? 'application/gzip' : 'application/zstd';
}

/** Throws for a run that has none, each in its own words. */
function fileOf(run: RunSight): { readonly place: FilePlace; readonly sha256: string } {
  const { id, state, error, sha256 } = run;
  if (!isOver(run))
    throw new ReportError(
      'report_run_not_ready',
      `The run ${id} is ${state}. Its file comes with its end.`,
    );
  if (state === 'CANCELED')
    throw new ReportError(
      'report_run_not_successful',
      `The run ${id} was cancelled: it has no file.`,
    );
  if (state === 'FAILED')
    throw new ReportError(
      'report_run_not_successful',
      `The run ${id} failed: ${error?.message ?? 'nobody knows why.'}`,
    );
  const place = placeOf(run.file);
  if (!hasFile(run) || place === null || sha256 === null)
    throw new ReportError(
      'report_file_expired',
      `The file of the run ${id} is no longer kept. Run the report again.`,
    );
  return { place, sha256 };
}
