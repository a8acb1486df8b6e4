import { type RouteName, contracts } from '@millrace/api';
import { type Asked, type Things, csv } from './tenants.ts';

/**
 * What a route means for a stranger, decided for each: a route that is not here fails to compile, and one that is here and
 * not in the API fails the test below.
 */
export type Decision =
  /** About nobody's things. */
  | { readonly of: 'nobody' }
  /** Concerns all tenants, and needs an admin. */
  | { readonly of: 'all' }
  /** By an id: answered as for an id that nobody has. */
  | {
      readonly of: 'one';
      readonly id: (theirs: Things) => string;
      readonly none: string;
      /** The parameter that names the thing, where it is not the first of the path. */
      readonly param?: string;
      /** Shared in the whole tenant: its members have access too. */
      readonly shared?: true;
      readonly asked?: (theirs: Things) => Asked;
    }
  /** A list or a sum: nothing of the other tenant is in it, whatever is asked for. */
  | {
      readonly of: 'many';
      readonly filters: (theirs: Things) => Readonly<Record<string, string>>[];
    }
  /** By its body: refused, or of no effect. */
  | {
      readonly of: 'body';
      readonly asked: (theirs: Things) => Asked;
      readonly answer: { readonly status: number; readonly text: RegExp };
      /** For a member of the same tenant. Null: what the body names is for all of the tenant. */
      readonly member: {
        readonly asked: () => Asked;
        readonly answer: { readonly status: number; readonly text: RegExp };
      } | null;
    };

const NOBODY = { of: 'nobody' } as const;
const ALL = { of: 'all' } as const;

const job = (asked?: (theirs: Things) => Asked) =>
  ({
    of: 'one',
    id: ({ job: id }: Things) => id,
    none: 'pg-999999',
    ...(asked && { asked }),
  }) as const;
const failed = { of: 'one', id: ({ failed: id }: Things) => id, none: 'pg-999999' } as const;
const template = (asked?: () => Asked) =>
  ({
    of: 'one',
    id: (theirs: Things) => theirs.template,
    none: 'tpl-999999',
    shared: true,
    ...(asked && { asked }),
  }) as const;
const file = { of: 'one', id: (theirs: Things) => theirs.file, none: 'file-999999' } as const;
const batch = (asked?: () => Asked) =>
  ({
    of: 'one',
    id: (theirs: Things) => theirs.batch,
    none: 'batch-999999',
    ...(asked && { asked }),
  }) as const;

const run = (asked?: (theirs: Things) => Asked) =>
  ({
    of: 'one',
    id: (theirs: Things) => theirs.run,
    none: 'run-999999',
    ...(asked && { asked }),
  }) as const;
const report = {
  of: 'one',
  id: (theirs: Things) => theirs.report,
  none: 'pg-999999',
} as const;
const snippet = {
  of: 'one',
  id: (theirs: Things) => theirs.snippet,
  none: 'nobodys',
  shared: true,
} as const;

const bulk = { of: 'one', id: (theirs: Things) => theirs.bulk, none: 'bulk-999999' } as const;
const pipelineRun = (asked?: () => Asked) =>
  ({
    of: 'one',
    id: (theirs: Things) => theirs.pipelineRun,
    none: 'pipe-999999',
    ...(asked && { asked }),
  }) as const;

export const DECISIONS: Readonly<Record<RouteName, Decision>> = {
  enqueue: {
    of: 'body',
    asked: () => ({ body: { kind: 'wait', tenant: 'acme', key: 'same' } }),
    answer: { status: 403, text: /tenant_not_allowed/ },
    member: {
      asked: () => ({ body: { kind: 'wait', key: 'same', delay: '1h' } }),
      answer: { status: 409, text: /key_taken/ },
    },
  },
  enqueueBatch: {
    of: 'body',
    asked: () => ({ body: [{ kind: 'wait' }, { kind: 'wait', tenant: 'acme' }] }),
    answer: { status: 403, text: /tenant_not_allowed/ },
    member: {
      asked: () => ({ body: [{ kind: 'wait', key: 'same', delay: '1h' }] }),
      answer: { status: 409, text: /key_taken/ },
    },
  },
  listJobs: {
    of: 'many',
    filters: (theirs) => [
      {},
      { tenant: 'acme' },
      { key: 'same' },
      { correlationId: 'acme-request' },
      { state: 'FAILED' },
      { state: 'QUEUED' },
      { state: 'QUEUED,CANCELED' },
      { phase: 'due,scheduled,retrying,running,succeeded,failed,canceled' },
      { kind: 'wait,document' },
      { submitter: 'operator@acme' },
      { q: 'same' },
      { q: 'acme-request' },
      { q: 'operator@acme' },
      { q: 'wai' },
      { q: theirs.job },
      { worker: 'nobody' },
      { schedule: 'nightly' },
    ],
  },
  getFamily: job(),
  freezeBulk: {
    of: 'body',
    asked: (theirs) => ({ body: { action: 'cancel', ids: [theirs.job, theirs.failed] } }),
    answer: { status: 201, text: /^(?=.*"matched":2)(?=.*"sample":\[\]).*"gone"/ },
    member: {
      asked: () => ({ body: { action: 'cancel', filter: { all: true } } }),
      answer: { status: 201, text: /^(?=.*"matched":0).*"sample":\[\]/ },
    },
  },
  runBulk: bulk,
  undoBulk: bulk,
  getBulk: bulk,
  listBulk: { of: 'many', filters: () => [{}] },
  getJob: job(),
  explainJob: job(),
  cancelJob: job(),
  retryJob: failed,
  cancelJobs: {
    of: 'body',
    asked: () => ({ body: { tenant: 'acme' } }),
    answer: { status: 200, text: /"canceled":0,"requested":0/ },
    member: {
      asked: () => ({ body: { all: true } }),
      answer: { status: 200, text: /"canceled":0,"requested":0/ },
    },
  },
  retryJobs: {
    of: 'body',
    asked: () => ({ body: { all: true, correlationId: 'acme-request' } }),
    answer: { status: 200, text: /"retried":0/ },
    member: {
      asked: () => ({ body: { all: true } }),
      answer: { status: 200, text: /"retried":0/ },
    },
  },
  counts: { of: 'many', filters: () => [{}, { tenant: 'acme' }, { kind: 'wait' }] },
  overview: {
    of: 'many',
    filters: () => [{}, { window: '1h' }, { window: '24h' }, { window: '7d' }],
  },
  history: { of: 'many', filters: () => [{}, { kind: 'wait' }, { tenant: 'acme' }] },
  errorGroups: { of: 'many', filters: () => [{}, { kind: 'wait' }] },
  settings: ALL,
  listTenants: { of: 'many', filters: () => [{}] },
  sandboxPages: NOBODY,
  eraseSubject: ALL,
  deleteJob: ALL,
  listKinds: NOBODY,
  pauseKind: ALL,
  resumeKind: ALL,
  listSchedules: NOBODY,
  runSchedule: ALL,
  pauseSchedule: ALL,
  resumeSchedule: ALL,
  deleteSchedule: ALL,
  workerStatus: { of: 'many', filters: () => [{}] },
  workerStats: { of: 'many', filters: () => [{}] },
  listReplicas: { of: 'many', filters: () => [{}] },
  pauseReplica: ALL,
  drainReplica: ALL,
  resumeReplica: ALL,
  stopWorker: ALL,
  startWorker: ALL,
  events: { of: 'many', filters: () => [] },
  listAudit: {
    of: 'many',
    filters: ({ job: target }) => [{}, { target }, { actor: 'operator@acme' }],
  },
  listSaved: { of: 'many', filters: () => [{}, { what: 'views' }, { what: 'batches' }] },
  // Names are the caller's own: the same name saves another thing.
  putSaved: NOBODY,
  deleteSaved: {
    of: 'one',
    id: (theirs) => theirs.saved,
    none: 'nobodys',
    param: 'name',
    asked: () => ({ params: { what: 'views' } }),
  },
  signIn: NOBODY,
  me: NOBODY,
  healthz: NOBODY,
  readyz: NOBODY,
  openapi: NOBODY,
  docs: NOBODY,
  metrics: ALL,
  generate: {
    of: 'body',
    asked: (theirs) => ({ body: { templateId: theirs.template, outputFileName: 'x', data: {} } }),
    answer: { status: 404, text: /template_not_found/ },
    member: null,
  },
  createBatch: {
    of: 'body',
    asked: (theirs) => ({ query: { templateId: theirs.template }, upload: csv('Name\nx\n') }),
    answer: { status: 404, text: /template_not_found/ },
    member: null,
  },
  readRows: NOBODY,
  checkRows: {
    of: 'body',
    asked: (theirs) => ({ query: { templateId: theirs.template }, upload: csv('Name\nx\n') }),
    answer: { status: 404, text: /template_not_found/ },
    member: null,
  },
  listBatches: { of: 'many', filters: () => [{}] },
  getBatch: batch(),
  listBatchItems: batch(),
  cancelBatch: batch(),
  retryBatch: batch(),
  downloadFailed: batch(),
  correctBatch: batch(() => ({ upload: csv('millrace line,Name\n2,x\n') })),
  downloadBatch: batch(),
  downloadMerged: batch(),
  addTemplate: NOBODY,
  listTemplates: { of: 'many', filters: () => [{}] },
  getTemplate: template(),
  listTemplateVersions: template(),
  downloadTemplate: template(),
  deleteTemplate: template(),
  previewTemplate: template(() => ({ body: { data: {}, outputFormat: 'DOCX' } })),
  lintTemplate: NOBODY,
  listFiles: {
    of: 'many',
    filters: (theirs) => [
      {},
      { templateId: theirs.template },
      { batchId: theirs.batch },
      { correlationId: 'acme-request' },
    ],
  },
  getFile: file,
  downloadFile: file,
  deleteFile: file,
  startRun: {
    of: 'body',
    asked: (theirs) => ({ body: { snippet: theirs.snippet } }),
    answer: { status: 404, text: /snippet_not_found/ },
    member: null,
  },
  listRuns: {
    of: 'many',
    filters: (theirs) => [
      {},
      { mid: theirs.mid },
      { submitter: 'operator@acme' },
      { snippet: theirs.snippet },
    ],
  },
  getRun: run(),
  runEvents: run(),
  cancelRun: run(),
  getRunResults: run(),
  downloadRunResults: run(() => ({ params: { format: 'csv' } })),
  listSnippets: { of: 'many', filters: () => [{}] },
  getSnippet: snippet,
  // Names are of a tenant: the same name makes another snippet.
  saveSnippet: NOBODY,
  deleteSnippet: snippet,
  validateSql: {
    of: 'body',
    asked: (theirs) => ({ body: { sql: 'SELECT 1 AS One', mid: theirs.mid } }),
    answer: { status: 403, text: /mid_not_allowed/ },
    member: null,
  },
  formatSql: NOBODY,
  // Files are of the installation.
  listPipelines: NOBODY,
  getPipeline: NOBODY,
  startPipeline: NOBODY,
  listPipelineRuns: {
    of: 'many',
    filters: () => [
      {},
      { pipeline: 'opens' },
      { submitter: 'operator@acme' },
      { state: 'succeeded' },
    ],
  },
  getPipelineRun: pipelineRun(),
  pipelineRunEvents: pipelineRun(),
  cancelPipelineRun: pipelineRun(),
  resumePipelineRun: pipelineRun(() => ({ body: {} })),
  getCatalog: { of: 'many', filters: () => [{}] },
  // Reports are of the service; which rows somebody gets is by their claims.
  listReports: NOBODY,
  getReport: NOBODY,
  getReportGraph: NOBODY,
  suggestReportValues: NOBODY,
  startReport: NOBODY,
  listReportRuns: {
    of: 'many',
    filters: () => [
      {},
      { submitter: 'operator@acme' },
      { correlationId: 'acme-request' },
      { state: 'SUCCEEDED' },
      { report: 'one' },
    ],
  },
  getReportRun: report,
  reportRunEvents: report,
  cancelReportRun: report,
  retryReportRun: report,
  downloadReportFile: report,
  deleteReportFile: report,
  getReportSample: NOBODY,
  fillReportSample: ALL,
};

export const names = Object.keys(contracts) as RouteName[];
export const of = <Of extends Decision['of']>(what: Of) =>
  names.flatMap((name) => {
    const decision = DECISIONS[name];
    return decision.of === what ? [[name, decision as Extract<Decision, { of: Of }>] as const] : [];
  });
