import { ApiError, problemOf } from '@millrace/api';
import { FORMATS, type Format, type ResultPage, type Run } from '@millrace/queries/contract';
import type { Context } from '../context.ts';
import { isUnreachable } from '../failure.ts';
import { choice, wholeNumber } from '../line/option.ts';
import { UsageError } from '../line/usage-error.ts';
import { count, counted, size } from '../render/number.ts';
import { OUTPUT_OPTIONS, type Output, openOutput } from '../terminal/output.ts';
import { runSummary } from './render/run.ts';
import type { Paint } from '../render/colour.ts';
import { type Column, layOut } from '../render/table.ts';

const DEFAULT_ROWS = 50;
/** The maximum per request that the server allows. */
const PAGE = 2_500;

export const RESULT_OPTIONS = {
  ...OUTPUT_OPTIONS,
  format: {
    ...choice(FORMATS, `${FORMATS.join(', ')}; default: suffix of -o.`),
    value: 'FORMAT',
  },
  limit: wholeNumber('N', `Maximum of rows shown; default: ${DEFAULT_ROWS}.`, 1),
};

export interface ResultWishes {
  readonly output?: string;
  readonly force?: true;
  readonly format?: Format;
  readonly limit?: number;
}

/** Where the rows go: a file, or null for this terminal. */
export interface Destination {
  readonly format: Format;
  readonly output: Output;
}

/** Checked before the query runs: what can only fail afterwards would have cost the time. */
export async function destinationOf(
  context: Context,
  { output, format, force, limit }: ResultWishes,
): Promise<Destination | null> {
  if (output === undefined) {
    if (format !== undefined) throw new UsageError('--format is of a file: name it with -o.');
    return null;
  }
  if (limit !== undefined)
    throw new UsageError('Files contain all rows: leave out --limit, or write TOP into the query.');
  return {
    format: formatOf(output, format),
    output: await openOutput(context, output, force),
  };
}

/** A CSV that is called .xlsx would not open. */
function formatOf(output: string, format: Format | undefined): Format {
  const ending = /\.([a-z]+)$/i.exec(output)?.[1]?.toLowerCase();
  const named = FORMATS.find((each) => each === ending);
  if (format !== undefined && named !== undefined && format !== named)
    throw new UsageError(`"${output}" would hold ${format.toUpperCase()}. Call it .${format}.`);
  const found = format ?? named;
  if (found !== undefined) return found;
  const endings = new Intl.ListFormat('en', { type: 'disjunction' }).format(
    FORMATS.map((each) => `.${each}`),
  );
  throw new UsageError(
    output === '-'
      ? `In which form? Give --format ${FORMATS.join('|')}.`
      : `"${output}" has no known suffix. Use ${endings}, or give --format.`,
  );
}

/** The rows of a ready run: into the file, or as a table here. */
export async function giveResults(
  context: Context,
  run: Run,
  destination: Destination | null,
  { limit = DEFAULT_ROWS }: ResultWishes,
): Promise<void> {
  if (destination !== null) return download(context, run, destination);
  const { columns, rows } = await firstRows(context, run, limit);
  const { out, json, quiet, document, note, world } = context;
  if (json) return document({ ...run, rows });
  const { lines, leftOut } = rowTable(columns, rows, out.columns, out.paint);
  out.write(lines.map((line) => `${line}\n`).join(''));
  if (quiet) return;
  note(runSummary(run, world.now()));
  const missing = [
    ...((run.rowCount ?? 0) > rows.length ? [`These are the first ${count(rows.length)}.`] : []),
    ...(leftOut > 0 ? [`${counted(leftOut, 'column')} more did not fit.`] : []),
  ];
  if (missing.length > 0)
    note(`${missing.join(' ')} Everything: millrace runs results ${run.id} -o FILE.csv`);
}

/** A line that breaks before its end is an error of fetch, and the file is not kept. */
async function download(
  { client, out, json, note, document, world }: Context,
  run: Run,
  { format, output }: Destination,
): Promise<void> {
  let response: Response | null = null;
  let bytes: number;
  try {
    response = await client.downloadRunResults({ params: { id: run.id, format } });
    bytes = await output.write(response.body ?? []);
  } catch (thrown) {
    throw isUnreachable(thrown) ? await whyCut(client, run, response) : thrown;
  }
  if (json) document({ ...run, path: output.path, size: bytes });
  else if (output.path !== '-') out.line(output.path);
  note(`${runSummary(run, world.now())} ${size(bytes)}.`);
}

/**
 * The service can only break off an answer that it has begun, and has no way to say why: asked for a row, it says what Marketing
 * Cloud says now. Where the service itself is gone, that question fails with this.
 */
async function whyCut(
  client: Context['client'],
  { id }: Run,
  response: Response | null,
): Promise<ApiError> {
  await client.getRunResults({ params: { id }, query: { limit: 1 } });
  const detail = `The rows of ${id} ended early and the file was discarded: Marketing Cloud failed, or the rows changed. Try again with "millrace runs results ${id}".`;
  return new ApiError(
    problemOf('results_cut', detail, response?.headers.get('x-correlation-id') ?? ''),
  );
}

async function firstRows(
  { client }: Context,
  { id }: Run,
  limit: number,
): Promise<Pick<ResultPage, 'columns' | 'rows'>> {
  const rows: ResultPage['rows'] = [];
  let cursor: string | undefined;
  for (;;) {
    const query = { limit: Math.min(limit, PAGE), cursor };
    const page = await client.getRunResults({ params: { id }, query });
    rows.push(...page.rows);
    if (page.next === null || rows.length >= limit)
      return { columns: page.columns, rows: rows.slice(0, limit) };
    cursor = page.next;
  }
}

type Row = ResultPage['rows'][number];
type ResultColumn = ResultPage['columns'][number];

const NUMBERS: readonly ResultColumn['type'][] = ['number', 'decimal'];

interface RowTable {
  readonly lines: readonly string[];
  /** Columns that the terminal has no room for. */
  readonly leftOut: number;
}

/** The rows as a table of this width. A number is never cut: half of one is another number. */
function rowTable(
  columns: readonly ResultColumn[],
  rows: readonly Row[],
  width: number,
  paint: Paint,
): RowTable {
  const { header, line, leftOut } = layOut(columns.map(columnOf), rows, width, paint);
  return { lines: [header(), ...rows.map(line)], leftOut };
}

function columnOf({ name, type }: ResultColumn, index: number): Column<Row> {
  const isNumber = NUMBERS.includes(type);
  return {
    header: name,
    ...(isNumber ? { align: 'right' } : { shrinkTo: 8 }),
    // The first column says which row it is.
    ...(index > 0 && { leaveOut: index }),
    cell: (row) => String(row[name] ?? 'NULL'),
    style: (row) => (row[name] == null ? 'dim' : null),
  };
}
