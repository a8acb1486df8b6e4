import type { DataProblem, FieldUse, ThreadTemplate } from '@millrace/docx';
import type { BatchSettings } from '../contract/envelope.ts';
import { MOST_LISTED, type RowProblem, type RowsChecked } from '../contract/rows.ts';
import { DocumentError, refusalOf } from '../errors.ts';
import { emptyFields } from './empty-fields.ts';
import { INVALID_ROW } from './items.ts';
import { checkHeader, gathered, leftEmpty, localeOf } from './load.ts';
import { rowData } from './row-data.ts';
import type { Row } from './rows/row.ts';
import { type RowSource, openRows } from './rows/rows.ts';

export interface CheckParams {
  readonly template: Pick<ThreadTemplate, 'fields' | 'problems'>;
  readonly settings: BatchSettings;
  readonly source: RowSource;
  readonly maxRows: number;
  readonly signal: AbortSignal | undefined;
}

/** What would become of each row if the batch ran: the same reading and the same merge, and no document. */
export async function checkRows(params: CheckParams): Promise<RowsChecked> {
  const { template, settings, maxRows, signal } = params;
  const { fields } = template;
  const opened = await openRows(params.source, localeOf(settings));
  try {
    checkHeader(opened, { settings, fields, subject: undefined });
    const check = rowCheck(template, settings, opened.columns);
    const tally = createTally();
    for await (const rows of gathered(opened.rows)) {
      signal?.throwIfAborted();
      if (tally.total() + rows.length > maxRows)
        throw new DocumentError(
          'too_many_rows',
          `A batch has at most ${maxRows} rows. Split it into several.`,
        );
      const problems = await check(rows);
      for (const [index, row] of rows.entries()) tally.add(row, problems[index] ?? []);
    }
    if (tally.total() === 0) throw new DocumentError('invalid_rows', 'There are no rows.');
    return tally.result();
  } finally {
    await opened.close();
  }
}

/** Of each row all that is wrong with it; a row that the template cannot take is asked about in one question with its neighbours. */
function rowCheck(
  { fields, problems }: CheckParams['template'],
  settings: BatchSettings,
  columns: readonly string[] | null,
): (rows: readonly Row[]) => Promise<RowProblem[][]> {
  const { locale, timezone, options } = settings;
  const isTable = columns !== null;
  const source = isTable ? { columns, ...leftEmpty(columns, { settings, fields }) } : null;
  const dataLocale = options.dataLocale ?? (isTable ? locale : undefined);
  const reading = dataLocale === undefined ? {} : { dataLocale };
  const asked = { locale, timeZone: timezone, strict: options.strict, ...reading };
  return async (rows) => {
    const readable = rows.flatMap((row) => ('data' in row ? [row] : []));
    const data = readable.map((row) => rowData(row.data, settings, source));
    const found = await asRefusal(problems(data, asked));
    const of = new Map(readable.map((row, index) => [row, found[index] ?? []]));
    return rows.map((row) => {
      if ('error' in row)
        return [{ severity: 'error', code: INVALID_ROW, field: null, message: row.error }];
      const wrong = (of.get(row) ?? []).map(errorOf);
      return isTable && !options.strict ? [...wrong, ...warnings(fields, row.data)] : wrong;
    });
  };
}

async function asRefusal<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw refusalOf(error, 'validation_error');
  }
}

function errorOf({ code, field, message }: DataProblem): RowProblem {
  return { severity: 'error', code, field: field ?? null, message };
}

function warnings(fields: readonly FieldUse[], row: unknown): RowProblem[] {
  return emptyFields(fields, row).map((field) => ({
    severity: 'warning',
    code: 'empty_field',
    field,
    message: `The row has nothing for ${field}.`,
  }));
}

/** Counts all of them, and lists the first ones that somebody has to look at. */
function createTally() {
  const fields = new Map<string, { empty: number; unusable: number }>();
  const listed: RowsChecked['rows'] = [];
  let [total, failing, warned] = [0, 0, 0];
  return {
    total: () => total,
    add({ line }: Row, problems: RowProblem[]): void {
      total += 1;
      if (problems.length === 0) return;
      if (problems.some(({ severity }) => severity === 'error')) failing += 1;
      else warned += 1;
      for (const [field, isEmpty] of fieldsIn(problems)) {
        const counts = fields.get(field) ?? { empty: 0, unusable: 0 };
        counts[isEmpty ? 'empty' : 'unusable'] += 1;
        fields.set(field, counts);
      }
      if (listed.length < MOST_LISTED) listed.push({ row: total, line, problems });
    },
    result: (): RowsChecked => ({
      total,
      ready: total - failing,
      failing,
      warned,
      fields: [...fields].map(([path, counts]) => ({ path, ...counts })),
      rows: listed,
    }),
  };
}

/** Each field of a row once. */
function fieldsIn(problems: readonly RowProblem[]): Map<string, boolean> {
  return new Map(
    problems.flatMap(({ field, code }) =>
      field === null ? [] : [[field, code === 'missing_field' || code === 'empty_field'] as const],
    ),
  );
}
