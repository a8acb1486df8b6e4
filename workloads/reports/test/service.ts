import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Clock,
  type Worker,
  createEvents,
  createQueue,
  createRegistry,
  createWorker,
  dependantsOf,
} from '@millrace/engine';
import { type Call, type Caller, type Live, Refusal, type Scope } from '@millrace/workload-kit';
import pg from 'pg';
import { bareDatabase } from '../../../stores/postgres/test/databases.ts';
import { type TestDatabase, openTestDatabase } from '../../../stores/postgres/test/stores.ts';
import { createCatalogue } from '../src/catalogue/catalogue.ts';
import type { contract } from '../src/contract/index.ts';
import { handlersOf } from '../src/handlers/index.ts';
import { reportKinds } from '../src/kinds.ts';
import { metricsOf } from '../src/observe.ts';
import { type Reports, openReports } from '../src/reports.ts';
import { reportRules } from '../src/rules/book.ts';
import { settings } from '../src/settings.ts';
import { reportsWithin } from '../src/within.ts';

/** Reports of a folder, read from a real Postgres and written by a real worker. */
export interface ServiceWorld {
  readonly reports: Reports;
  readonly folder: string;
  readonly worker: Worker;
  /** What was logged as a warning, of all servers. */
  readonly warnings: readonly string[];
  /** Another server on the same queue, with a data folder of its own. It works on nothing. */
  replica(environment?: Readonly<Record<string, string>>): Promise<Replica>;
  /** Changes the source. */
  sql(text: string): Promise<void>;
  routes(scope?: Partial<Scope>): ReturnType<typeof handlersOf>;
  close(): Promise<void>;
}

export interface Replica extends Pick<ServiceWorld, 'reports' | 'routes'> {
  close(): Promise<void>;
}

export const SHIFTS = `
title: Shifts
parameters:
  county: { type: whole number, required: false }
  from: { type: date, default: '2026-01-01' }
sql: |
  SELECT id, county, day, hours FROM shifts
   WHERE day >= :from AND (:county IS NULL OR county = :county)
key: id
rows:
  - { roles: [admin], see: all }
  - { column: county, claim: county }
outputs: { formats: [csv, jsonl], file: 'shifts {from}' }
`;

const clock: Clock = {
  now: () => performance.now(),
  after(ms, fire) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};

const QUIET = { info: () => {}, warn: () => {}, error: () => {} };

export async function openService(
  files: Readonly<Record<string, string>> = { 'shifts.yaml': SHIFTS },
  environment: Readonly<Record<string, string>> = {},
): Promise<ServiceWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-reports-'));
  mkdirSync(join(folder, 'reports'));
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, 'reports', name), text);
  const source = await bareDatabase();
  const client = new pg.Client(source.url);
  await client.connect();
  const database: TestDatabase = await openTestDatabase('postgres');
  const warnings: string[] = [];
  const log = { ...QUIET, warn: (_: object, message: string) => void warnings.push(message) };
  async function configured(more: Readonly<Record<string, string>>) {
    const config = configOf({
      MILLRACE_REPORTS_FOLDER: join(folder, 'reports'),
      REPORTS_DATABASE_URL: source.url,
      ...more,
    });
    const catalogue = createCatalogue({
      folder: config.folder,
      defaults: { timeZone: config.timeZone },
    });
    await catalogue.load();
    return { config, catalogue };
  }
  const { config, catalogue } = await configured(environment);
  const registry = createRegistry(reportKinds(config));
  const store = await database.open(
    dependantsOf(registry, [], [reportRules(() => catalogue.now())]),
  );
  const events = createEvents();
  const queue = createQueue({ store, registry, events });
  const { live, announceAll } = liveOf();
  // Nobody announces the end of a job; whoever waits for it would look once a second.
  for (const end of ['job.succeeded', 'job.failed', 'job.canceled'] as const)
    events.on(end, announceAll);
  const around = {
    database: store.database,
    queue,
    live,
    clock,
    log,
    metrics: metricsOf({ count: () => {}, record: () => {} }),
    steps: () => undefined,
    call: <T>(_: unknown, run: () => Promise<T>) => run(),
    deliver: async () => ({ status: 200 }),
    requireWebhook(url: string) {
      if (!url.startsWith('https:')) throw new Refusal('invalid_webhook', 'Write https.');
    },
  };
  const routesOf =
    (of: Reports) =>
    (scope: Partial<Scope> = {}) =>
      handlersOf(reportsWithin(of, { tenants: 'all', tenant: '', owner: null, ...scope }));
  const reports = await openReports({
    ...around,
    dataFolder: join(folder, 'data'),
    config,
    catalogue,
  });
  let replicas = 0;
  const worker = createWorker({
    config: {
      id: 'w1',
      pools: [{ name: 'reports', concurrency: 2, batch: 2, interval: { active: 20, idle: 20 } }],
    },
    store,
    registry,
    clock,
    random: Math.random,
    events,
    services: new Map(registry.all().map(({ kind }) => [kind, reports])),
  });
  worker.start();
  return {
    reports,
    folder,
    worker,
    warnings,
    async replica(more = environment) {
      replicas += 1;
      const dataFolder = join(folder, `data-${replicas}`);
      const other = await openReports({ ...around, dataFolder, ...(await configured(more)) });
      return { reports: other, routes: routesOf(other), close: () => other.close() };
    },
    sql: async (text) => void (await client.query(text)),
    routes: routesOf(reports),
    async close() {
      await worker.stop();
      await reports.close();
      await store.close();
      await client.end();
      await database.drop();
      await source.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configOf(environment: Readonly<Record<string, string>>) {
  const values = Object.fromEntries(
    Object.entries(settings.variables).map(([name, schema]) => [
      name,
      schema.parse(environment[name]),
    ]),
  );
  const config = settings.read(values);
  if (config === null) throw new Error('switched off');
  return config;
}

function liveOf(): { live: Live; announceAll: () => void } {
  const listeners = new Set<(ids: readonly string[] | null) => void>();
  const tell = (ids: readonly string[] | null): void =>
    listeners.forEach((listener) => listener(ids));
  return {
    live: {
      announce: (_, id) => tell([id]),
      listen(_, listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    announceAll: () => tell(null),
  };
}

export function callerOf(name: string, more: Partial<Caller> = {}): Caller {
  return {
    name,
    subject: `user:${name}`,
    roles: ['member'],
    tenants: null,
    claims: {},
    expiresAt: null,
    ...more,
  };
}

type Routes = typeof contract.routes;

/** A call as the server would make it: held against the contract. */
export function callOf<Name extends keyof Routes>(
  route: Routes[Name],
  asked: {
    readonly caller?: Caller | null;
    readonly params?: object;
    readonly query?: object;
    readonly body?: object;
    readonly headers?: object;
    readonly signal?: AbortSignal;
  },
): Call<Routes[Name]> {
  const { params = {}, query = {}, body = {}, headers = {} } = asked;
  const parts = route as {
    params?: { parse(value: unknown): unknown };
    query?: { parse(value: unknown): unknown };
    body?: { parse(value: unknown): unknown };
  };
  return {
    params: parts.params?.parse(params),
    query: parts.query?.parse(query),
    body: parts.body?.parse(body),
    caller: asked.caller ?? null,
    upload: null,
    headers,
    signal: asked.signal ?? new AbortController().signal,
    correlationId: 'c-1',
    log: QUIET,
  } as unknown as Call<Routes[Name]>;
}
