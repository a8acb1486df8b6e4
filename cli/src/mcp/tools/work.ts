import { contracts } from '@millrace/api';
import type { ResultPage } from '@millrace/queries/contract';
import { waiting } from '../input.ts';
import { pollUntil } from '../poll-until.ts';
import { json, more, plain, present, quoted } from '../text.ts';
import { type Call, answer, defineTool } from '../tool.ts';
import { documentLink } from './download.ts';
import { statusAnswer } from './runs.ts';
import { pipelineStatus, queryStatus, reportStatus } from './statuses.ts';

/** The limit of a page of rows: a table with wide texts would fill the model's context. */
const MOST_CELLS = 20_000;

const rowLimit = contracts.getRunResults.query.shape.limit.unwrap().max(500);

export const generateDocument = defineTool({
  name: 'generate_document',
  title: 'Generate a document',
  about:
    'Generates a PDF or DOCX from a template and data. list_templates with a name has the fields. download saves the file.',
  routes: ['generate'],
  effect: 'adds',
  input: contracts.generate.body,
  async run(call, body) {
    const {
      file,
      docx,
      cached,
      warnings = [],
    } = await call.client.generate({ body }, call.options);
    const files = docx === null ? [file] : [file, docx];
    return answer(
      [
        ...files.map(
          ({ id, name, size, expiresAt }) =>
            `${id} ${quoted(name)}, ${size} bytes, kept until ${expiresAt}`,
        ),
        ...(cached ? ['It came from the cache: the same template and data as before.'] : []),
        ...warnings.map((warning) => `Warning: ${quoted(warning)}`),
      ],
      {
        files: files.map(({ id, name, mediaType, size, expiresAt }) => ({
          id,
          name,
          mediaType,
          size,
          expiresAt,
        })),
        ...(warnings.length > 0 && { warnings: warnings.map((warning) => plain(warning)) }),
      },
      { foreign: true, links: files.map((each) => documentLink(call, each)) },
    );
  },
});

export const runQuery = defineTool({
  name: 'run_query',
  title: 'Run a query',
  about:
    'Runs SQL, or a snippet, on Marketing Cloud, and returns the first rows. list_tables lists the tables; query_rows has more rows, download all of them.',
  routes: ['startRun', 'getRunResults'],
  effect: 'adds',
  input: contracts.startRun.body.safeExtend({
    wait: waiting(30),
    rows: rowLimit.default(20).describe('Number of rows to return.'),
  }),
  async run(call, { rows, ...body }) {
    const run = await call.client.startRun({ body }, call.options);
    const current = queryStatus(run);
    if (run.status !== 'ready' || run.rowCount === 0) return statusAnswer(current);
    const page = await pageOf(call, run.id, { limit: rows });
    return answer(
      [...current.lines, ...rowLines(page)],
      { run: current.data, ...rowData(page) },
      { foreign: true },
    );
  },
});

export const queryRows = defineTool({
  name: 'query_rows',
  title: 'Rows of a query',
  about: 'Rows of a ready run of a query, page by page.',
  routes: ['getRunResults'],
  effect: 'reads',
  input: contracts.getRunResults.params.extend({
    ...contracts.getRunResults.query.shape,
    limit: rowLimit.default(50).describe('Maximum number of rows.'),
  }),
  async run(call, { id, ...query }) {
    const page = await pageOf(call, id, query);
    return answer(rowLines(page), rowData(page), { foreign: true });
  },
});

function pageOf(
  { client, options }: Call,
  id: string,
  query: { limit: number; cursor?: string | undefined },
): Promise<ResultPage> {
  return client.getRunResults({ params: { id }, query }, options);
}

/** Names once, then each row as a list: half the length of objects. */
function rowLines({ columns, rows, rowCount, next }: ResultPage): string[] {
  const names = columns.map(({ name }) => name);
  return [
    `columns: ${json(names, MOST_CELLS)}`,
    ...cut(rows).map((row) =>
      json(
        names.map((name) => row[name] ?? null),
        MOST_CELLS,
      ),
    ),
    `Total rows: ${rowCount}.`,
    ...more(next),
  ];
}

function rowData({ columns, rows, rowCount, next }: ResultPage): Record<string, unknown> {
  const names = columns.map(({ name }) => name);
  const kept = cut(rows);
  return present({
    columns,
    rows: kept.map((row) => names.map((name) => row[name] ?? null)),
    rowCount,
    next,
    truncated:
      kept.length < rows.length
        ? `${rows.length - kept.length} rows of this page were left out: request fewer at once.`
        : null,
  });
}

/** As many as there is room for, and one in any case. */
function cut(rows: ResultPage['rows']): ResultPage['rows'] {
  let room = MOST_CELLS;
  const fits = rows.findIndex((row) => (room -= JSON.stringify(row).length) < 0);
  return fits === -1 ? rows : rows.slice(0, Math.max(1, fits));
}

export const runReport = defineTool({
  name: 'run_report',
  title: 'Run a report',
  about:
    'Runs a report with the rows that the caller may see. list_reports with a name has its parameters; download saves the file.',
  routes: ['startReport'],
  effect: 'adds',
  input: contracts.startReport.params.extend({
    ...contracts.startReport.body.shape,
    wait: waiting(30),
  }),
  async run({ client, options }, { name, ...body }) {
    return statusAnswer(
      reportStatus(await client.startReport({ params: { name }, body }, options)),
    );
  },
});

export const runPipeline = defineTool({
  name: 'run_pipeline',
  title: 'Run a pipeline',
  about: 'Runs a pipeline. list_pipelines with a name has its parameters and steps.',
  routes: ['startPipeline', 'getPipelineRun'],
  effect: 'adds',
  input: contracts.startPipeline.params.extend({
    ...contracts.startPipeline.body.shape,
    wait: waiting(0),
  }),
  async run(call, { name, wait, ...body }) {
    const { client, options } = call;
    const begun = await client.startPipeline({ params: { name }, body }, options);
    const look = async () =>
      pipelineStatus(await client.getPipelineRun({ params: { id: begun.id } }, options));
    return statusAnswer(await pollUntil(call, wait, look, ({ over }) => over));
  },
});
