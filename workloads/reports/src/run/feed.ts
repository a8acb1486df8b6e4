import type { Column, CopiedRows } from '@millrace/tables';
import type { ReadPosition } from '../sql/read.ts';

/** Rows for a file, and where to go on after each batch of them. */
export interface Feed {
  readonly columns: readonly Column[];
  /** Leading fields of each record that are not in the file. */
  readonly hidden: number;
  /** How many rows there may be; null: nobody knows. */
  readonly total: number | null;
  /** When reading began, by the source's clock. */
  readonly asOf: string;
  /** Whoever goes on reads another snapshot than whoever began. */
  readonly hasSnapshots: boolean;
  readonly batches: AsyncIterable<FedRows>;
  close(): Promise<void>;
}

export interface FedRows extends CopiedRows {
  /** Where the reading stands after it. */
  readonly position: ReadPosition;
  /** It is of another snapshot than the batch before. */
  readonly isNewSnapshot: boolean;
  /** So many rows changed after the report began, and are not among these. */
  readonly leftOut: number;
}
