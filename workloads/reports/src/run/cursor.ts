import type { TableState } from '@millrace/tables';
import { z } from 'zod';
import { type OutputPlace, outputPlaceSchema } from '../outputs/types.ts';
import type { ReadPosition } from '../sql/read.ts';

/**
 * All that a run needs to go on where it stood: saved by the engine together with progress and lease, after the bytes that it
 * speaks of are on the disk.
 */
export interface ReportCursor {
  /** How far the source was read: the last row that is written, and what the next batch follows from. */
  readonly position: ReadPosition;
  readonly rows: number;
  readonly chunks: number;
  /** How many rows there may be, as the source guessed before the first one; null: it could not. */
  readonly total: number | null;
  readonly place: OutputPlace;
  readonly table: TableState;
  /** When the first execution began to read, by the source's clock: rows changed later are left out where the report says so. */
  readonly asOf: string;
  /** After how many rows another snapshot of the source was read; the first few. Not their keys: who looks at a run may not see its rows. */
  readonly seams: readonly number[];
  /** Rows that changed after `asOf`, and are not in the file. */
  readonly leftOut: number;
  /** How often the file was begun again, because what was written of it was gone, or cannot be carried on. */
  readonly restarts: number;
}

const cursorSchema = z.looseObject({
  position: z.object({
    mode: z.enum(['chunks', 'stream']),
    key: z.array(z.string()),
    rows: z.number(),
    bytes: z.number(),
    left: z.number(),
  }),
  rows: z.number(),
  chunks: z.number(),
  total: z.number().nullable(),
  place: outputPlaceSchema,
  table: z.looseObject({ bytes: z.number() }),
  asOf: z.string(),
  seams: z.array(z.number()),
  leftOut: z.number(),
  restarts: z.number(),
});

/** Null: nothing is written yet, or another version of Millrace saved what this one cannot read: the file is begun again. */
export function cursorOf(saved: unknown): ReportCursor | null {
  const parsed = cursorSchema.safeParse(saved);
  return parsed.success ? (parsed.data as unknown as ReportCursor) : null;
}

/** More would make the cursor grow with each interruption. */
const SEAMS_KEPT = 20;

/** `rows`: so many were read of the snapshots before. */
export function withSeam(seams: ReportCursor['seams'], rows: number): ReportCursor['seams'] {
  return rows === 0 || seams.length >= SEAMS_KEPT ? seams : [...seams, rows];
}
