import {
  type ClaimedJob,
  type Ended,
  type JobContext,
  type Queue,
  createEvents,
  createQueue,
  createRegistry,
  decide,
  dependantsOf,
} from '@millrace/engine';
import type { Database, PostgresStore, Session } from '@millrace/store-postgres';
import type { Definition } from '@millrace/workload-kit';
import { parse } from 'yaml';
import { clockAheadBy } from '../../../stores/postgres/test/databases.ts';
import type { TestDatabase } from '../../../stores/postgres/test/stores.ts';
import type { Catalogue, CatalogueView } from '../src/catalogue.ts';
import { type Pipeline, checkPipeline } from '../src/definition/pipeline.ts';
import { pipelineKinds } from '../src/kinds.ts';
import { metricsOf } from '../src/observe.ts';
import { type Pipelines, openPipelines } from '../src/pipelines.ts';
import type { KeptFile } from '../src/runs/files.ts';
import type { NewRun } from '../src/runs/runs.ts';
import { followSteps } from '../src/step/follow.ts';
import type { Work } from '../src/step/work.ts';
import { type Things, createThings } from './things.ts';

/** The end of a process: nothing that it wanted to do happens any more. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/**
 * The workload on a real database with a real queue, rules and gates, and a workload of the test's for all steps. Jobs are run by hand,
 * one after the other, in a time that passes only from one due job to the next.
 */
export interface World {
  readonly pipelines: Pipelines;
  readonly store: PostgresStore;
  readonly queue: Queue;
  readonly things: Things;
  readonly works: Map<string, Work>;
  readonly told: string[];
  readonly announced: string[];
  /** The files of the folder, as YAML; a change is as if the file were written. */
  readonly files: Map<string, string>;
  readonly beside: KeptFile[];
  submit(pipeline: string, changes?: Partial<NewRun>): Promise<string>;
  /** Runs the next due job, and settles it. False: there is none. */
  step(): Promise<boolean>;
  /** Claims all that is due, and runs it; the ends are settled in one write. */
  together(): Promise<number>;
  finish(): Promise<void>;
  /** What upkeep does, a minute later. */
  upkeep(): Promise<void>;
  pass(ms: number): Promise<void>;
  /** Kills the process at its n-th contact with the outside, before or after that has its effect. */
  killAt(point: number, when: 'before' | 'after'): void;
  contacts(): number;
  /** Another process in the place of one that was killed outside of a job. */
  restart(): void;
  /** States of the run and of its steps: `SUCCEEDED a=done b=skipped`. */
  sight(id: string): Promise<string>;
  close(): Promise<void>;
}

const LEASE_MS = 30_000;

export async function openWorld(database: TestDatabase): Promise<World> {
  await database.reset();
  const registry = createRegistry(pipelineKinds());
  const store = await database.open(dependantsOf(registry, [], [followSteps]));
  const events = createEvents();
  const queue = createQueue({ store, registry, events });
  const told: string[] = [];
  const announced: string[] = [];
  const listeners = new Set<(ids: readonly string[] | null) => void>();
  const started = Date.now();
  let ahead = 0;
  let claims = 0;
  let contacts = 0;
  let kill: { readonly point: number; readonly when: 'before' | 'after' } | null = null;
  let isDead = false;

  async function pass(ms: number): Promise<void> {
    ahead += ms;
    await database.script(clockAheadBy(ahead));
  }

  function die(): never {
    isDead = true;
    kill = null;
    throw new Killed('killed');
  }

  /** One contact with what outlives the process. */
  async function contact<T>(effect: () => Promise<T>): Promise<T> {
    if (isDead) throw new Killed('dead');
    contacts += 1;
    const isHere = kill?.point === contacts;
    if (isHere && kill?.when === 'before') die();
    const answer = await effect();
    if (isHere) die();
    return answer;
  }

  const mortal: Database = {
    ...store.database,
    query: (statement, params) => contact(() => store.database.query(statement, params)),
    // As a whole: what happens within one, the database undoes.
    transaction: <T>(work: (session: Session) => Promise<T>) =>
      contact(() => store.database.transaction(work)),
  };
  const things = createThings(contact);
  const works = new Map<string, Work>();
  const workOf = (type: string): Work | undefined => works.get(type) ?? things.step(type);
  const { catalogue, files, beside } = fileless();
  const log = { info() {}, warn() {}, error() {} };
  const pipelines = await openPipelines({
    store: { database: mortal },
    queue: {
      ...queue,
      enqueueAll: (requests) => contact(() => queue.enqueueAll(requests)),
      cancelWhere: (filter) => contact(() => queue.cancelWhere(filter)),
    },
    catalogue,
    works: workOf,
    live: {
      announce(topic, id) {
        announced.push(`${topic} ${id}`);
        for (const listener of listeners) listener([id]);
      },
      listen(_, listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    clock: {
      now: () => ahead,
      after(_, fire) {
        const timer = setImmediate(fire);
        return () => clearImmediate(timer);
      },
    },
    now: () => started + ahead,
    log,
    metrics: metricsOf({
      count: (name, value, ...attributes) =>
        void told.push([name, value, ...Object.values(attributes[0] ?? {})].join(' ')),
      record: () => {},
    }),
    keepRunsMs: 30 * 86_400_000,
  });

  async function claim(limit: number): Promise<readonly ClaimedJob[] | null> {
    const wants = registry.all().map(({ kind }) => ({ kind, limit }));
    for (;;) {
      const params = { worker: 'w', wants, limit, leaseMs: LEASE_MS };
      const found = await store.claim({ ...params, claim: (claims += 1) });
      if (found.jobs.length > 0) return found.jobs;
      const alone = found.suspects
        ? await store.claim({ ...params, alone: true, claim: (claims += 1) })
        : null;
      if (alone !== null && alone.jobs.length > 0) return alone.jobs;
      const open = (await queue.counts()).filter(
        ({ state, count }) => (state === 'QUEUED' || state === 'PROCESSING') && count > 0,
      );
      if (open.length === 0) return null;
      // Until the next is due, or the lease of a killed process is over.
      await pass(Math.max(found.nextDueMs ?? LEASE_MS + 1_000, 1));
    }
  }

  async function execute(job: ClaimedJob): Promise<Ended | null> {
    const kind = registry.require(job.kind);
    const context: JobContext = {
      step: (_name, work) => work(),
      signal: new AbortController().signal,
      lease: job,
      log,
      enqueue() {},
      progress() {},
      pauseTimeout: () => () => {},
      get: (id) => store.get({ id }),
    };
    const running = {
      ...job,
      data: JSON.parse(job.payload ?? 'null') as unknown,
      cursor: null,
      correlationId: job.correlationId ?? job.id,
      parents: job.parents ?? {},
    };
    try {
      const outcome = await kind.run(running, context, pipelines);
      if (outcome === undefined || Symbol.asyncIterator in outcome) throw new Error('no outcome');
      return { type: 'returned', outcome };
    } catch (thrown) {
      return thrown instanceof Killed || isDead ? null : { type: 'threw', thrown };
    }
  }

  async function settle(ends: readonly { job: ClaimedJob; ended: Ended }[]): Promise<void> {
    const settlements = ends.flatMap(({ job, ended }) => {
      const kind = registry.require(job.kind);
      const outcome = decide(
        { random: () => 0.5, store },
        { kind, job, attempt: job.attempt, abortReason: null },
        ended,
      );
      return outcome === null ? [] : [{ job, outcome, children: [] }];
    });
    await contact(() => store.settle({ settlements }));
  }

  async function run(limit: number): Promise<number> {
    const jobs = await claim(limit);
    if (jobs === null) return 0;
    try {
      const ends: { job: ClaimedJob; ended: Ended }[] = [];
      for (const job of jobs) {
        const ended = await execute(job);
        if (ended !== null) ends.push({ job, ended });
      }
      if (ends.length > 0) await settle(ends);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    } finally {
      isDead = false;
    }
    return jobs.length;
  }

  return {
    pipelines,
    store,
    queue,
    things,
    works,
    told,
    announced,
    files,
    beside,
    async submit(pipeline, changes = {}) {
      const made = await pipelines.runs.submit({
        pipeline,
        parameters: {},
        tenant: '',
        submitter: 'ada',
        roles: ['member'],
        claims: {},
        ...changes,
      });
      return made.id;
    },
    step: async () => (await run(1)) > 0,
    together: () => run(50),
    async finish() {
      for (let steps = 0; (await run(1)) > 0; steps += 1)
        if (steps > 1_000) throw new Error('The jobs do not come to an end.');
    },
    async upkeep() {
      await pass(60_000);
      await pipelines.reconcile.runOnce();
    },
    pass,
    killAt(point, when) {
      contacts = 0;
      kill = { point, when };
    },
    contacts: () => contacts,
    restart() {
      isDead = false;
      kill = null;
    },
    async sight(id) {
      const found = await pipelines.store.find(id);
      if (found === null) return 'gone';
      const steps = found.steps.map(({ step, state }) => `${step}=${state}`);
      return [found.state, ...steps].join(' ');
    },
    async close() {
      await pipelines.close();
      await store.close();
    },
  };
}

/** A folder that a test writes by putting texts into a map. */
export function fileless() {
  const files = new Map<string, string>();
  const beside: KeptFile[] = [];
  function now(): CatalogueView {
    const read = [...files].map(([name, text]): [string, Definition<Pipeline>] => {
      const checked = checkPipeline(name, parse(text), { timeZone: 'UTC' });
      if ('complaints' in checked) throw new Error(JSON.stringify(checked.complaints));
      const { value } = checked;
      return [name, { name, file: `${name}.yaml`, value, text, digest: String(text.length) }];
    });
    return {
      pipelines: new Map(read),
      services: new Map([
        ['nightly', { name: 'nightly', title: null, tenant: '', roles: ['member'], claims: {} }],
      ]),
      troubled: [],
    };
  }
  const catalogue: Catalogue = {
    now,
    load: async () => {},
    open: async () => {},
    close: async () => {},
    filesOf: async () => beside,
    schedules: () => [],
  };
  return { catalogue, files, beside };
}
