import {
  createCopiedTable,
  type Column,
  type CopiedRows,
  type CopiedTableOptions,
  type Row,
  type TableState,
} from '../src/index.ts';

/** As `COPY … (FORMAT csv)` writes them; values that are no text as their text. */
export function copied(rows: readonly Row[]): CopiedRows {
  const lines = rows.map((row) => row.map((value) => field(value)).join(','));
  return { bytes: Buffer.from(lines.map((line) => `${line}\n`).join('')), rows: rows.length };
}

function field(value: Row[number]): string {
  if (value === null || value === undefined) return '';
  const text = value === true ? 't' : value === false ? 'f' : String(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The whole file, and the state at its end. */
export function fileOfCopy(
  options: CopiedTableOptions,
  ...batches: readonly CopiedRows[]
): { bytes: Buffer; state: TableState } {
  const table = createCopiedTable(options);
  const pieces = batches.flatMap((batch) => table.write(batch));
  return { bytes: Buffer.concat([...pieces, ...table.end()]), state: table.state() };
}

/** The cells of a sheet by their place, counted where they do not say it themselves. */
export function placedCells(sheet: string): string[][] {
  return [...sheet.matchAll(/<row[^>]*>(.*?)<\/row>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<c(?: r="[A-Z]+\d+")?((?: [^>]*?)?)(?:\/>|>(.*?)<\/c>)/gs)].map(
      ([, attributes = '', inner = '']) => `${attributes} ${inner}`.trim(),
    ),
  );
}

export const ALL_TYPES: readonly Column[] = [
  { name: 'Id', type: 'number' },
  { name: 'Text', type: 'text' },
  { name: 'Amount', type: 'decimal' },
  { name: 'Mean', type: 'double' },
  { name: 'Yes', type: 'boolean' },
  { name: 'When', type: 'date' },
];

export const HOSTILE_TEXTS = [
  '',
  ' ',
  'plain',
  '=1+1',
  '  =1+1',
  '\u00A0=1+1',
  '\u200B@x',
  '＝1+1',
  '+49 (0) 30 123-45',
  '-5',
  '-5 apples',
  '@x',
  'a "b", c',
  '"',
  '""',
  'two\nlines',
  'cr\rlf\r\n',
  'x;=1+1',
  'é first',
  '漢字',
  'ひらがな',
  '😀 first, last 😀',
  ' blanks ',
  'nbsp at the end\u00A0',
  '\u3000ideographic',
  'line separator \u2028',
  '_x0041_ _x005F_x0041_ _x _xyz',
  '<&> ]]> <![CDATA[ &amp; </t></is></c>',
  'bell \u0007 escape \u001b tab \t',
  '\u0001\u0002',
  'del \u007f c1 \u0085',
  'no characters \uFFFE \uFFFF \uFEFF',
  '\\N \\. \\',
  '\\.',
  'x'.repeat(40_000),
  `x${'😀'.repeat(16_384)}`,
  'é'.repeat(20_000),
  'TRUE',
  '2026-01-31',
  '007',
];
