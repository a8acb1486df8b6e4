import { createSecretKey, randomBytes } from 'node:crypto';
import {
  type Clock,
  type JobContext,
  type JobId,
  type Queue,
  type Registry,
  type RunningJob,
  createEvents,
  createQueue,
  createRegistry,
  createWorker,
  dependantsOf,
} from '@millrace/engine';
import type { PostgresStore } from '@millrace/store-postgres';
import { watchEndedJobs } from '@millrace/workload-kit';
import { need } from '../../../scripts/need.mjs';
import { docx, p } from '../../../docx/test/builder.ts';
import {
  type Documents,
  type DocumentMetrics,
  type DocumentsParams,
  documentKinds,
  openDocuments,
} from '../src/index.ts';
import { createPasswords } from '../src/passwords.ts';
import { type TemplateThreads, openTemplateThreads } from '../src/templates/threads.ts';
import type { TestDatabase } from '../../../stores/postgres/test/stores.ts';
import { type FakeOffice, fakeOffice } from './office.ts';

await need('build'); // threads run what is built

/** One set for all worlds of a file: starting threads for each would take longer than most tests. */
const own = openTemplateThreads();
const THREADS: TemplateThreads = { ...own, close: () => Promise.resolve() };

const PASSWORDS = createPasswords([{ id: 'k1', key: createSecretKey(randomBytes(32)) }]);

/** The workload on a database, with a worker that a test starts. */
export interface World {
  readonly documents: Documents;
  readonly store: PostgresStore;
  readonly queue: Queue;
  readonly registry: Registry;
  readonly office: FakeOffice;
  readonly told: string[];
  startWorker(): void;
  /** When the job has ended, in whatever way. The worker must run, or begin to. */
  ended(id: JobId): Promise<void>;
  close(): Promise<void>;
}

export async function openWorld(
  database: TestDatabase,
  changes: Partial<DocumentsParams> = {},
): Promise<World> {
  const registry = createRegistry(documentKinds({ lookEvery: '20ms', passwords: PASSWORDS }));
  const store = await database.open(dependantsOf(registry, []));
  const events = createEvents();
  const queue = createQueue({ store, registry, events });
  const office = fakeOffice();
  const told: string[] = [];
  const documents = await openDocuments({
    store,
    queue,
    office,
    build: 'test',
    clock: { now: () => performance.now() },
    metrics: telling(told),
    threads: THREADS,
    passwords: PASSWORDS,
    ...changes,
  });
  watchEndedJobs(events, documents.ended);
  const watchers = new Set<(id: JobId) => void>();
  const over = ({ id }: { id: JobId }): void => watchers.forEach((watch) => watch(id));
  events.on('job.succeeded', over);
  events.on('job.failed', over);
  events.on('job.canceled', over);
  // A job that defers itself after someone has canceled it is over, too.
  events.on('job.deferred', over);
  const isOver = async (id: JobId): Promise<boolean> =>
    ((await store.get({ id }))?.finishedAt ?? null) !== null;
  const worker = createWorker({
    config: { id: 'w1', pools: [{ name: 'all', interval: { active: 50, idle: 50 } }] },
    store,
    registry,
    clock: systemClock,
    random: Math.random,
    events,
    services: new Map(registry.all().map(({ kind }) => [kind, documents])),
  });
  return {
    documents,
    store,
    queue,
    registry,
    office,
    told,
    startWorker: () => worker.start(),
    async ended(id) {
      for (;;) {
        const { promise, resolve } = later();
        const watch = (other: JobId): void => (other === id ? resolve() : undefined);
        watchers.add(watch);
        if (!(await isOver(id))) await promise;
        watchers.delete(watch);
        if (await isOver(id)) return;
      }
    },
    async close() {
      await worker.stop();
      await documents.close();
      await store.close();
    },
  };
}

function telling(told: string[]): DocumentMetrics {
  return {
    step() {},
    cacheEviction() {},
    duration: ({ outputFormat, mode }) => told.push(`made ${outputFormat} ${mode}`),
    failed: (reason, { templateId, mode }) => told.push(`failed ${reason} ${templateId} ${mode}`),
    cacheHit: (id) => told.push(`hit ${id}`),
    cacheMiss: (id) => told.push(`miss ${id}`),
  };
}

const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, fire) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};

/** A template of paragraphs. */
export function template(...paragraphs: string[]): Buffer {
  return docx(paragraphs.map((text) => p(text)).join(''));
}

/** An execution by hand: what the engine would give a handler. */
export function execution<Data>(
  data: Data,
  changes: { epoch?: number; attempt?: number; tenant?: string; signal?: AbortSignal } = {},
): [RunningJob<Data>, JobContext] {
  const { epoch = 1, attempt = 1, tenant = '', signal = new AbortController().signal } = changes;
  const job: RunningJob<Data> = {
    id: 'pg-1',
    kind: 'document',
    data,
    tenant,
    attempt,
    maxAttempts: 4,
    createdAt: 0,
    cursor: null,
    correlationId: 'c1',
    submitter: null,
    parents: {},
  };
  const silent = { info() {}, warn() {}, error() {} };
  const context: JobContext = {
    step: (_name, work) => work(),
    signal,
    lease: { id: 'pg-1', epoch, claim: 1 },
    log: silent,
    enqueue() {},
    progress() {},
    pauseTimeout: () => () => {},
    get: () => Promise.resolve(null),
  };
  return [job, context];
}

export async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

/** A promise that a test settles. */
export function later(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((yes) => {
    resolve = yes;
  });
  return { promise, resolve };
}
