import type { TableState } from '@millrace/tables';
import { z } from 'zod';
import { type OutputPlace, outputPlaceSchema } from '../outputs/types.ts';
import type { ReadMode } from '../sql/mode.ts';

/**
 * All that a run needs to go on where it stood: saved by the engine together with progress and lease, after the bytes that it
 * speaks of are on the disk.
 */
export interface ReportCursor {
  /** The key of the last row that is written, as the source writes it; null: none is. */
  readonly key: readonly string[] | null;
  readonly rows: number;
  readonly chunks: number;
  /** All that was read so far, as the source sent it: the size of the next chunk follows from it. */
  readonly read: { readonly rows: number; readonly bytes: number };
  /** Kept, since packed files have other bytes where other chunks were packed. */
  readonly mode: ReadMode;
  /** How many rows there may be, as the source guessed before the first one; null: it could not. */
  readonly total: number | null;
  readonly place: OutputPlace;
  readonly table: TableState;
  /** When the first execution began to read, by the source's clock: rows changed later are left out where the report says so. */
  readonly asOf: string;
  /** After which keys another snapshot of the source was read; the first few. */
  readonly seams: readonly (readonly string[])[];
  /** How often the file was begun again, because what was written of it was not there any more. */
  readonly restarts: number;
}

const cursorSchema = z.looseObject({
  key: z.array(z.string()).nullable(),
  rows: z.number(),
  chunks: z.number(),
  total: z.number().nullable(),
  read: z.object({ rows: z.number(), bytes: z.number() }),
  mode: z.enum(['chunks', 'stream']),
  place: outputPlaceSchema,
  table: z.looseObject({ bytes: z.number() }),
  asOf: z.string(),
  seams: z.array(z.array(z.string())),
  restarts: z.number(),
});

/** Null: nothing is written yet, or an older version of Millrace saved what this one cannot read: the file is begun again. */
export function cursorOf(saved: unknown): ReportCursor | null {
  const parsed = cursorSchema.safeParse(saved);
  return parsed.success ? (parsed.data as unknown as ReportCursor) : null;
}

/** More would make the cursor grow with each interruption. */
const SEAMS_KEPT = 20;

export function withSeam({
  key,
  seams,
}: Pick<ReportCursor, 'key' | 'seams'>): ReportCursor['seams'] {
  return key === null || seams.length >= SEAMS_KEPT ? seams : [...seams, key];
}
