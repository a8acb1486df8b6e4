// The file gets what COPY wrote, except for the fields that have to be otherwise: formulas, `t` for true, what is
// hidden. A batch without any goes through untouched; its bytes are looked at once and not copied.

import { csvParts, type CsvOptions } from '../csv.ts';
import { PIECE } from '../text.ts';
import type { Column, Notes, Writer } from '../columns.ts';
import { createOutput, put, putText, reserve } from './output.ts';
import { hasMore, readField, type Records } from './records.ts';
import { createSkim } from './skim.ts';

/** The factor by which a batch is expected to grow for the fields that changed. */
const GROWTH = 1.125;

interface CopiedCsvParams {
  readonly columns: readonly Column[];
  readonly hidden: number;
  readonly options: CsvOptions;
  readonly notes: Notes;
}

export function createCopiedCsv(params: CopiedCsvParams): Writer<null, Records> {
  const { columns, hidden, options, notes } = params;
  const { header, fields, missing, lineEnd } = csvParts(columns, options, notes);
  const isCrlf = lineEnd !== '\n';
  const isGuarded = options.formulaGuard !== false;
  const skim = createSkim({ columns, isGuarded });
  /** Records that need no change: all at once where nothing is hidden. */
  const skimmed = isCrlf || missing !== '' ? 0 : hidden > 0 ? 1 : Infinity;

  function fieldChanged(records: Records, i: number): string | null {
    const { bytes, value, start, end, place, at, isNull } = records;
    if (isNull) return missing === '' ? null : missing;
    if (skim.stays(i, bytes, place, at - 1)) return null;
    const text = fields[i]?.(value.toString('utf8', start, end), missing) ?? '';
    return text === bytes.toString('utf8', place, at - 1) ? null : text;
  }

  /** The bytes of all rows; those of the batch where nothing changes. */
  function changed(records: Records): Uint8Array {
    const { bytes } = records;
    const out = createOutput(0);
    /** From here on, the batch is not in `out` yet. */
    let kept = 0;
    const leaveOut = (from: number, to: number, instead: string) => {
      if (out.length === 0) reserve(out, Math.ceil(bytes.length * GROWTH));
      put(out, bytes, kept, from);
      if (instead !== '') putText(out, instead);
      kept = to;
    };
    while (hasMore(records)) {
      const rowStart = records.at;
      for (let i = 0; i < hidden; i++) readField(records, i);
      if (hidden > 0) leaveOut(rowStart, records.at, '');
      const before = records.rows;
      skim.records(records, skimmed);
      if (hidden > 0 ? records.rows > before : !hasMore(records)) continue;
      for (let i = 0; i < columns.length; i++) {
        readField(records, hidden + i);
        const instead = fieldChanged(records, i);
        if (instead !== null) leaveOut(records.place, records.at - 1, instead);
      }
      if (isCrlf) leaveOut(records.at - 1, records.at, lineEnd);
    }
    if (kept === 0 && out.length === 0) return bytes;
    put(out, bytes, kept);
    return out.bytes.subarray(0, out.length);
  }

  return {
    begin: () => [header()],
    *write(records) {
      const bytes = changed(records);
      for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
    },
    end: () => [],
    state: () => null,
  };
}
