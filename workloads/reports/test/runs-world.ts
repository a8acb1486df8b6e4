import { createHash } from 'node:crypto';
import {
  type ClaimedJob,
  type Clock,
  type FailureRecord,
  type Queue,
  createEvents,
  createQueue,
  createRegistry,
  defineJob,
  done,
  toJsonText,
} from '@millrace/engine';
import type { PostgresStore } from '@millrace/store-postgres';
import type { Live } from '@millrace/workload-kit';
import type { Report, ReportDefinition } from '../src/catalogue/types.ts';
import { REPORT, type ReportJob, reportJobSchema } from '../src/job-data.ts';
import { type RunRoom, type RunRoomParams, openRuns } from '../src/runs/open.ts';
import type { NewRun } from '../src/runs/runs.ts';
import type { TestDatabase } from '../../../stores/postgres/test/stores.ts';

/** Runs on a real store whose jobs are executed by hand. */
export interface RunsWorld {
  readonly room: RunRoom;
  readonly store: PostgresStore;
  readonly queue: Queue;
  readonly announced: string[];
  readonly removed: unknown[];
  readonly ended: string[];
  /** Claims the next job of a report. */
  claim(): Promise<ClaimedJob>;
  succeed(job: ClaimedJob): Promise<void>;
  fail(job: ClaimedJob, error: FailureRecord): Promise<void>;
  close(): Promise<void>;
}

export async function openRunsWorld(
  database: TestDatabase,
  changes: Partial<RunRoomParams> = {},
): Promise<RunsWorld> {
  await database.reset();
  const store = await database.open();
  const kind = defineJob({ kind: REPORT, input: reportJobSchema, run: async () => done(null) });
  const queue = createQueue({ store, registry: createRegistry([kind]), events: createEvents() });
  const announced: string[] = [];
  const removed: unknown[] = [];
  const ended: string[] = [];
  const listeners = new Set<(ids: readonly string[] | null) => void>();
  const live: Live = {
    announce(_, id) {
      announced.push(id);
      for (const listener of listeners) listener([id]);
    },
    listen(_, listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const clock: Clock = {
    now: () => Date.now(),
    after(ms, fire) {
      const timer = setTimeout(fire, ms);
      return () => clearTimeout(timer);
    },
  };
  const room = await openRuns({
    database: store.database,
    queue,
    live,
    clock,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    removeFile: async (file) => void removed.push(file),
    onEnded: ({ id, end }) => ended.push(`${id} ${end}`),
    onRemoved: () => {},
    keepRunsMs: 86_400_000,
    ...changes,
  });
  let claims = 0;
  return {
    room,
    store,
    queue,
    announced,
    removed,
    ended,
    async claim() {
      claims += 1;
      const { jobs } = await store.claim({
        worker: 'w',
        claim: claims,
        wants: [{ kind: REPORT, limit: 1 }],
        limit: 1,
        leaseMs: 60_000,
      });
      const [job] = jobs;
      if (job === undefined) throw new Error('No job is due.');
      return job;
    },
    async succeed(job) {
      const result = toJsonText({ rows: 1, parameters: {} }, 'result');
      const outcome = { move: 'succeed', result, purgePayload: false, effects: [] } as const;
      await store.settle({ settlements: [{ job, outcome, children: [] }] });
    },
    async fail(job, error) {
      const outcome = { move: 'fail', error, stack: null } as const;
      await store.settle({ settlements: [{ job, outcome, children: [] }] });
    },
    close: () => store.close(),
  };
}

const REPORT_FILE: Report = {
  name: 'timesheets',
  title: 'Timesheets',
  description: null,
  parameters: [],
  sql: 'SELECT 1 AS id',
  key: ['id'],
  columns: [],
  rows: [],
  public: true,
  totals: 'visible rows',
  asOf: null,
  outputs: { formats: ['csv'], compression: null, file: '{report}' },
  formulaGuard: true,
  expiresMs: null,
  timeZone: 'UTC',
  timeoutMs: null,
  schedules: [],
  after: [],
  cover: null,
  handOver: null,
  keepToken: false,
};

export function definitionOf(name: string, changes: Partial<Report> = {}): ReportDefinition {
  const value = { ...REPORT_FILE, name, ...changes };
  const text = JSON.stringify(value);
  const digest = createHash('sha256').update(text).digest('hex');
  return { name, file: `${name}.yaml`, value, text, digest };
}

/** `job`: what differs from the usual one. */
export function newRun({
  definition = definitionOf('timesheets'),
  job,
  ...changes
}: Partial<Omit<NewRun, 'job'>> & { readonly job?: Partial<ReportJob> } = {}): NewRun {
  return {
    definition,
    job: {
      report: definition.name,
      digest: definition.digest,
      parameters: { county: '19' },
      output: { format: 'csv', compression: null },
      identity: { name: 'ada', subject: 's-1', service: null, roles: ['member'], claims: {} },
      ...job,
    },
    tenant: '',
    submitter: 'ada',
    correlationId: 'c-1',
    ...changes,
  };
}
