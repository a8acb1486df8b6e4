// RFC 4180, as Postgres writes it: null is an empty field and empty text is "".

import { momentOf } from './dates.ts';
import { encode, encodeLines } from './text.ts';
import type { Column, ColumnType, Notes, Row, Value, Writer } from './columns.ts';
import { booleanOf, doubleText, isMissing, numberText, textOf } from './values.ts';

export interface CsvOptions {
  /** Lines end with CR LF, as RFC 4180 has it, in place of LF. */
  readonly crlf?: boolean;
  /** A byte order mark: without one, Excel takes the file for one in the code page of the country. */
  readonly bom?: boolean;
  /** On unless false: text that a spreadsheet would run as a formula gets a `'` in front. */
  readonly formulaGuard?: boolean;
}

/** `;` too: where the decimal sign is a comma, spreadsheets split there, and `x;=1+1` would be two fields. */
const QUOTED = /[",;\r\n]/;
/** Also after blanks and what has no width, and in full width, which Excel reads alike. */
const FORMULA =
  /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/u;
/** Telephone numbers and plain numbers, which no spreadsheet runs. */
const HARMLESS = /^[+-]?[0-9 ().-]+$/;

/** How the parts of a file are written. */
export interface CsvParts {
  readonly header: () => Uint8Array;
  readonly fields: readonly Field[];
  readonly missing: string;
  readonly lineEnd: string;
}

export function csvParts(columns: readonly Column[], options: CsvOptions, notes: Notes): CsvParts {
  const lineEnd = options.crlf === true ? '\r\n' : '\n';
  const guard = options.formulaGuard === false ? (text: string) => text : guarded;
  const textField = (text: string) => quoted(guard(text));
  return {
    header: () => {
      const names = columns.map(({ name }) => textField(name)).join(',');
      return encode((options.bom === true ? '\uFEFF' : '') + names + lineEnd, notes);
    },
    fields: columns.map(({ type, isGuarded }) =>
      fieldOf(type, isGuarded === false ? quoted : textField, notes),
    ),
    // An empty line is no row to many readers: the null of a table of one column is "" as well.
    missing: columns.length === 1 ? '""' : '',
    lineEnd,
  };
}

export function createCsv(
  columns: readonly Column[],
  options: CsvOptions,
  notes: Notes,
): Writer<null> {
  const { header, fields, missing, lineEnd } = csvParts(columns, options, notes);

  function lineOf(row: Row): string {
    let line = '';
    for (let i = 0; i < fields.length; i++) {
      if (i > 0) line += ',';
      line += fields[i]?.(row[i], missing) ?? '';
    }
    return line + lineEnd;
  }

  return {
    begin: () => [header()],
    write: (rows) => encodeLines(rows, lineOf, notes),
    end: () => [],
    state: () => null,
  };
}

type Field = (value: Value, missing: string) => string;

function fieldOf(type: ColumnType, textField: (text: string) => string, notes: Notes): Field {
  if (type === 'text') {
    return (value, missing) => (isMissing(value, true) ? missing : textField(textOf(value)));
  }
  const read = READERS[type];
  return (value, missing) => {
    if (isMissing(value, false)) return missing;
    const text = read(value);
    if (text !== null) return text;
    notes.asText++;
    return textField(textOf(value));
  };
}

/** Readers of the types whose text needs no quotes and is no formula. */
const READERS: Record<Exclude<ColumnType, 'text'>, (value: Value) => string | null> = {
  number: numberText,
  decimal: numberText,
  double: doubleText,
  boolean: (value) => booleanOf(value)?.toString() ?? null,
  // As it was given: microseconds and offset included.
  date: (value) =>
    momentOf(value) === null || value === null || value === undefined ? null : textOf(value),
};

function quoted(text: string): string {
  if (text === '') return '""';
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function guarded(text: string): string {
  const first = text.charCodeAt(0);
  // Letters and digits, by far the most: twice as fast as the expression.
  if ((first >= 0x41 && first < 0x7f) || (first >= 0x30 && first <= 0x39)) return text;
  return FORMULA.test(text) && !HARMLESS.test(text) ? `'${text}` : text;
}
