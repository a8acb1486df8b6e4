import { createHash } from 'node:crypto';
import type {
  Parameter,
  Report,
  ReportGraph,
  ReportRun,
  ReportSample,
} from '@millrace/reports/contract';
import { type Call, type Handlers, refusal } from './contract-server.ts';
import { SECOND, at } from './jobs.ts';
import { type Fixture, fixture } from './run.ts';

/** A service that has reports: each look at a run moves it on by one of `sights`. */
export interface ReportsService {
  reports: Report[];
  troubled: { file: string; problems: { line: number; column: number; message: string }[] }[];
  graph: ReportGraph;
  /** What follows at the next looks; the last one stays. */
  sights: Partial<ReportRun>[];
  file: Buffer;
  /** Where the next lines break, counted in bytes of the answer. */
  breaks: number[];
  samples: Partial<ReportSample>[];
  readonly bodies: unknown[];
  readonly ranges: (string | undefined)[];
  readonly canceled: string[];
  readonly retried: string[];
}

export function aParameter(name: string, changes: Partial<Parameter> = {}): Parameter {
  return {
    name,
    type: 'text',
    label: name,
    help: null,
    required: false,
    canBeEmpty: true,
    list: false,
    choices: [],
    suggests: false,
    min: null,
    max: null,
    default: null,
    defaultNow: null,
    example: `--${name} TEXT`,
    ...changes,
  };
}

export function aReport(changes: Partial<Report> = {}): Report {
  return {
    name: 'timesheets',
    title: 'Timesheets',
    description: null,
    file: 'timesheets.yaml',
    parameters: [
      aParameter('county', {
        type: 'whole number',
        required: true,
        canBeEmpty: false,
        example: '--county 19',
      }),
      aParameter('business_date', {
        type: 'date',
        default: 'yesterday',
        defaultNow: '2026-01-30',
        canBeEmpty: false,
        example: '--business_date 2026-01-31',
      }),
      aParameter('status', {
        type: 'choice',
        list: true,
        choices: [
          { value: 'open', label: 'Open' },
          { value: 'paid', label: 'Paid' },
        ],
      }),
    ],
    key: ['id'],
    columns: [],
    formats: ['csv', 'xlsx'],
    compression: null,
    public: false,
    rowRules: ['With the role admin: all rows.'],
    rowsForYou: 'All rows.',
    schedules: [],
    after: [],
    digest: 'd'.repeat(64),
    problems: [],
    ...changes,
  };
}

export const CSV = Buffer.from(`id,hours\n${'1,7.5\n'.repeat(1_000)}`);

export function aReportRun(changes: Partial<ReportRun> = {}): ReportRun {
  return {
    id: 'pg-7',
    report: 'timesheets',
    state: 'QUEUED',
    parameters: { county: '19' },
    format: 'csv',
    compression: null,
    tenant: '',
    submitter: 'ada@example.com',
    correlationId: 'c-7',
    schedule: null,
    parents: [],
    progress: null,
    attempt: 0,
    resumes: 0,
    cancelRequested: false,
    error: null,
    result: null,
    createdAt: at(0),
    startedAt: null,
    finishedAt: null,
    ...changes,
  };
}

export function running(percent: number): Partial<ReportRun> {
  return {
    state: 'PROCESSING',
    progress: {
      rows: percent * 10,
      bytes: percent * 60,
      chunks: 1,
      total: 1_000,
      percent,
      rowsPerSecond: 500,
      etaSeconds: (100 - percent) / 50,
    },
  };
}

export function succeeded(file = CSV, changes: Partial<ReportRun> = {}): Partial<ReportRun> {
  const sha256 = createHash('sha256').update(file).digest('hex');
  return {
    ...running(100),
    state: 'SUCCEEDED',
    result: {
      rows: 1_000,
      bytes: file.length,
      sha256,
      fileName: 'timesheets.csv',
      note: null,
      expiresAt: at(7 * 86_400 * SECOND),
      available: true,
    },
    finishedAt: at(12 * SECOND),
    ...changes,
  };
}

export async function reportsFixture(
  changes: Partial<ReportsService> = {},
): Promise<Fixture & { readonly reports: ReportsService }> {
  const reports: ReportsService = {
    reports: [aReport()],
    troubled: [],
    graph: { nodes: [], edges: [] },
    sights: [running(40), succeeded()],
    file: CSV,
    breaks: [],
    samples: [],
    bodies: [],
    ranges: [],
    canceled: [],
    retried: [],
    ...changes,
  };
  const made = await fixture();
  Object.assign(made.service.handlers, handlersOf(reports));
  return { ...made, reports };
}

const SAMPLE: ReportSample = {
  state: 'filling',
  rows: 100,
  today: '2026-01-31',
  percent: 0,
  makes: null,
  error: null,
  startedAt: at(0),
};

function handlersOf(service: ReportsService): Handlers {
  let run = aReportRun();
  const known = ({ params: { id } }: Call) => {
    if (id !== run.id) throw refusal('report_run_not_found', `There is no run "${id}".`);
  };
  return {
    listReports: () => ({
      reports: service.reports,
      troubled: service.troubled.map(({ file, problems }) => ({
        file,
        name: null,
        inForce: null,
        problems: problems.map((problem) => ({ file, ...problem })),
      })),
      folder: '/srv/reports',
      source: 'embedded' as const,
      next: null,
    }),
    getReport({ params: { name } }) {
      const found = service.reports.find((each) => each.name === name);
      if (found === undefined) throw refusal('report_not_found', `There is no report "${name}".`);
      return found;
    },
    getReportGraph: () => service.graph,
    startReport({ body }) {
      service.bodies.push(body);
      return run;
    },
    listReportRuns: () => ({ runs: [run], next: null }),
    getReportRun(call) {
      known(call);
      run = { ...run, ...service.sights.shift() };
      return run;
    },
    cancelReportRun(call) {
      known(call);
      service.canceled.push(run.id);
      run = { ...run, state: 'CANCELED' };
      return run;
    },
    retryReportRun(call) {
      known(call);
      service.retried.push(run.id);
      run = { ...run, state: 'QUEUED' };
      return run;
    },
    downloadReportFile: ({ headers: { range } }) => fileAnswer(service, run, range),
    getReportSample: () => ({ ...SAMPLE, ...service.samples.shift() }),
    fillReportSample({ body }) {
      service.bodies.push(body);
      return SAMPLE;
    },
  };
}

function fileAnswer(service: ReportsService, run: ReportRun, range: string | undefined): Response {
  service.ranges.push(range);
  const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
  const rest = service.file.subarray(from);
  const cut = service.breaks.shift();
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      if (cut === undefined) {
        controller.enqueue(rest);
        return controller.close();
      }
      controller.enqueue(rest.subarray(0, cut));
    },
    pull(controller) {
      controller.error(new Error('The line breaks.'));
    },
  });
  return new Response(stream, {
    status: range === undefined ? 200 : 206,
    headers: { etag: `"${run.result?.sha256 ?? ''}"` },
  });
}
