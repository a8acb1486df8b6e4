import { createHash } from 'node:crypto';
import { z } from 'zod';
import { columnWords } from './schema.ts';
import type { Report, ReportDefinition } from './types.ts';

/** A table of the rows of a pipeline's step: a report without SQL, declared where it is used. */
const tableWords = z.strictObject({
  table: z.literal(true),
  title: z.string(),
  columns: z.record(z.string(), columnWords),
  file: z.string(),
});

export interface Table {
  readonly name: string;
  readonly title: string;
  /** As the pipeline file has them; checked when they were read. */
  readonly columns: Readonly<Record<string, unknown>>;
  /** The name of the file, without its ending. */
  readonly file: string;
}

export function tableDefinition({ name, title, columns, file }: Table): ReportDefinition {
  const text = JSON.stringify({ table: true, title, columns, file });
  const value = storedTable(name, text);
  if (value === null) throw new Error('the columns of a table were not checked');
  const digest = createHash('sha256').update(text).digest('hex');
  return { name, file: name, value, text, digest };
}

/** From the text that is kept with its digest; null: it is that of a report. */
export function storedTable(name: string, text: string): Report | null {
  const parsed = tableWords.safeParse(JSON.parse(text));
  if (!parsed.success) return null;
  const { title, columns, file } = parsed.data;
  return {
    name,
    title,
    description: null,
    parameters: [],
    sql: '',
    key: [],
    columns: Object.entries(columns).map(([column, { label, format, hidden }]) => ({
      name: column,
      label: label ?? null,
      format: format ?? null,
      hidden: hidden ?? false,
    })),
    rows: [],
    // Whoever runs the pipeline has made the rows.
    public: true,
    totals: 'visible rows',
    asOf: null,
    outputs: { formats: ['csv', 'xlsx', 'jsonl', 'parquet'], compression: null, file },
    formulaGuard: true,
    expiresMs: null,
    timeZone: 'UTC',
    timeoutMs: null,
    schedules: [],
    after: [],
    cover: null,
    keepToken: false,
    handOver: null,
  };
}
