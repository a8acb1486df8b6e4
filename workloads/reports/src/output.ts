import type { Compression, TableFormat } from '@millrace/tables';

/** What a report is written as, as someone chose it. */
export interface OutputChoice {
  readonly format: TableFormat;
  readonly compression: Compression | null;
}
