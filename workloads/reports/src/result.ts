import { z } from 'zod';
import type { OutputChoice } from './output.ts';
import type { ResolvedParameters } from './parameters/types.ts';

/** What the job of a report gives in the end. */
export interface ReportResult extends OutputChoice {
  readonly report: string;
  /** As the job ran with them. */
  readonly parameters: ResolvedParameters;
  readonly fileName: string;
  readonly rows: number;
  readonly bytes: number;
  /** Of the file, hexadecimal. */
  readonly sha256: string;
  readonly chunks: number;
  /** What readers of the file have to know; null: nothing. */
  readonly note: string | null;
}

/** What rules read of it, of whichever version of Millrace wrote it. */
export type ReportOutcome = Pick<ReportResult, 'rows' | 'parameters'> &
  Partial<Pick<ReportResult, 'fileName' | 'bytes' | 'sha256' | 'note'>>;

export const reportOutcomeSchema: z.ZodType<ReportOutcome> = z.looseObject({
  rows: z.number(),
  fileName: z.string().exactOptional(),
  bytes: z.number().exactOptional(),
  sha256: z.string().exactOptional(),
  note: z.string().nullable().exactOptional(),
  parameters: z.record(z.string(), z.union([z.string(), z.array(z.string()), z.null()])),
});
