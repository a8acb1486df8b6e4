import {
  type Catalog,
  type Run,
  type Snippet,
  type SqlReport,
  stateOf,
} from '@millrace/queries/contract';
import { type Call, type Handlers, refusal } from './contract-server.ts';
import { SECOND, at } from './jobs.ts';
import { type Fixture, fixture } from './run.ts';

/** A service that runs queries: each look at a run moves it on by one of `sights`. */
export interface Queries {
  /** What follows at the next looks; the last one stays. */
  sights: Partial<Run>[];
  rows: Record<string, string | number | boolean | null>[];
  columns: NonNullable<Run['columns']>;
  report: SqlReport;
  snippets: Snippet[];
  dataExtensions: Catalog['dataExtensions'];
  /** The bytes of a download; null: its line breaks after the first half. */
  file: Buffer | null;
  readonly bodies: unknown[];
  readonly canceled: string[];
}

export function aRun(changes: Partial<Run> = {}): Run {
  return {
    id: 'run-7',
    state: 'QUEUED',
    status: 'queued',
    mceStatus: null,
    mid: '100001',
    sqlText: 'SELECT 1 AS One',
    snippetName: null,
    tenant: '',
    submitter: 'ada@example.com',
    columns: null,
    rowCount: null,
    error: null,
    pollCount: 0,
    apiCalls: 0,
    createdAt: at(0),
    startedAt: null,
    finishedAt: null,
    resultsExpireAt: null,
    ...changes,
  };
}

export const VALID: SqlReport = {
  valid: true,
  problems: [],
  columns: [{ name: 'One', type: 'number' }],
  askedMarketingCloud: true,
};

export function ready(rowCount: number, changes: Partial<Run> = {}): Partial<Run> {
  return {
    state: 'SUCCEEDED',
    status: 'ready',
    mceStatus: 'Complete',
    rowCount,
    pollCount: 3,
    apiCalls: 7.5,
    finishedAt: at(12 * SECOND),
    ...changes,
  };
}

const FIELDS = [
  { name: 'Email', type: 'Text', maxLength: 254, isPrimaryKey: true, isRequired: true },
  { name: 'Orders', type: 'Number', maxLength: null, isPrimaryKey: false, isRequired: false },
];
const VIEW = {
  name: '_Open',
  fields: [
    {
      name: 'SubscriberKey',
      type: 'Text',
      maxLength: 254,
      isPrimaryKey: false,
      isRequired: false,
    },
  ],
};

export async function queriesFixture(
  changes: Partial<Queries> = {},
): Promise<Fixture & { readonly queries: Queries }> {
  const queries: Queries = {
    sights: [{ state: 'PROCESSING', status: 'running', mceStatus: 'Processing' }, ready(2)],
    rows: [
      { Email: 'ada@example.com', Opens: 12 },
      { Email: null, Opens: 3 },
    ],
    columns: [
      { name: 'Email', type: 'text' },
      { name: 'Opens', type: 'number' },
    ],
    report: VALID,
    snippets: [],
    dataExtensions: [
      { name: 'Loyal customers', customerKey: 'loyal-1', folders: [], fields: FIELDS },
    ],
    file: Buffer.from('Email,Opens\r\n'),
    bodies: [],
    canceled: [],
    ...changes,
  };
  const made = await fixture();
  Object.assign(made.service.handlers, handlersOf(queries));
  return { ...made, queries };
}

function handlersOf(queries: Queries): Handlers {
  let run = aRun();
  const refuseSql = () => {
    const [problem] = queries.report.problems;
    if (!queries.report.valid) throw refusal('invalid_sql', problem?.message ?? 'Wrong.');
  };
  const isKnown = ({ params: { id } }: Call) => {
    if (id !== run.id) throw refusal('run_not_found', `There is no run "${id}".`);
  };
  return {
    startRun({ body }) {
      refuseSql();
      queries.bodies.push(body);
      return run;
    },
    getRun(call) {
      isKnown(call);
      run = { ...run, ...queries.sights.shift() };
      run = { ...run, state: stateOf(run.status) ?? run.state };
      return run;
    },
    cancelRun(call) {
      isKnown(call);
      queries.canceled.push(run.id);
      run = { ...run, state: 'CANCELED', status: 'canceled' };
      return run;
    },
    listRuns: () => ({ runs: [run], next: null }),
    getRunResults({ query: { limit = 100, cursor } }) {
      const from = Number(cursor ?? 0);
      const to = from + Number(limit);
      const { columns, rows } = queries;
      const next = to < rows.length ? String(to) : null;
      return { columns, rows: rows.slice(from, to), rowCount: rows.length, next };
    },
    downloadRunResults: () =>
      new Response(queries.file === null ? broken() : new Uint8Array(queries.file)),
    validateSql({ body }) {
      queries.bodies.push(body);
      return queries.report;
    },
    getCatalog({ query: { mid = '100001', dataExtension: wanted } }) {
      const isWanted = ({ name }: { name: string }) => wanted === undefined || wanted === name;
      const dataExtensions = queries.dataExtensions
        .filter(isWanted)
        .map((each) => (wanted === undefined ? { ...each, fields: null } : each));
      const dataViews = [VIEW].filter(isWanted);
      if (dataExtensions.length + dataViews.length === 0)
        throw refusal('data_extension_not_found', `There is no data extension "${wanted}".`);
      return { mid: String(mid), mids: ['100001'], dataExtensions, dataViews, fetchedAt: at(0) };
    },
    formatSql: () => ({ sql: 'SELECT\n  1 AS One' }),
    listSnippets: () => ({ snippets: queries.snippets, next: null }),
    getSnippet({ params: { name = '' } }) {
      const found = queries.snippets.find((each) => each.name === name);
      if (found === undefined) throw refusal('snippet_not_found', `No snippet "${name}".`);
      return found;
    },
    saveSnippet({ params: { name = '' }, body }) {
      const { sql: sqlText, shared } = body as { sql: string; shared: boolean };
      const owner = 'ada@example.com';
      const saved = { name, sqlText, shared, tenant: '', owner, updatedAt: at(0) };
      queries.snippets = [...queries.snippets.filter((each) => each.name !== name), saved];
      return saved;
    },
    deleteSnippet: ({ params: { name = '' } }) => ({ removed: name }),
  };
}

function broken(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from('Email,'));
      controller.error(new Error('cut'));
    },
  });
}
