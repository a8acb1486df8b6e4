import { fileTypeOf } from '@millrace/tables';
import { ReportError } from './errors.ts';
import type { FilePlace } from './outputs/types.ts';
import { placeOf } from './reports.ts';
import { type RunSight, hasFile, isOver } from './runs/sight.ts';

/** Where the file of a run is, and what it is. */
export interface FileOfRun {
  readonly place: FilePlace;
  readonly sha256: string;
  readonly name: string;
  readonly mediaType: string;
}

/** Packed files are what their packing is: nobody unpacks them on the way. */
function mediaTypeOf({ format, compression }: RunSight): string {
  if (compression === null) return fileTypeOf(format).mediaType;
  return compression === 'gzip' ? 'application/gzip' : 'application/zstd';
}

/** Throws for a run that has none, each in its own words. */
export function fileOf(run: RunSight): FileOfRun {
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
  const name = run.fileName ?? `${run.report}.${run.format}`;
  return { place, sha256, name, mediaType: mediaTypeOf(run) };
}
