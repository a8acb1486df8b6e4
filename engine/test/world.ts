import { createMemoryDatabase } from '@millrace/store-memory';
import { type Skew, createVirtualTime } from '@millrace/testkit';
import { z } from 'zod';
import {
  type Clock,
  type EventMap,
  type EventName,
  type FailureRecord,
  type Job,
  type JobContext,
  type JobDefinition,
  type JobId,
  type JobKind,
  type JobRequest,
  type Rule,
  type RunningJob,
  type Store,
  type Tracing,
  type WorkerConfig,
  createEvents,
  createQueue,
  createRegistry,
  createSharedSlots,
  createWorker,
  defineJob,
  dependantsOf,
} from '../src/index.ts';
import { type Line, createLine } from './line.ts';

/** A worker on the memory store in virtual time: nothing happens but in `run`. */
export const START = Date.UTC(2026, 0, 1);
/** The number of a worker's first claim while randomness is always in the middle. */
export const FIRST_CLAIM = 2 ** 51 + 1;

export type Handler = (
  job: RunningJob<unknown>,
  context: JobContext,
) => ReturnType<JobDefinition<unknown>['run']>;

/** A kind that takes any data, named "work" unless `changes` says otherwise. */
export function work(run: Handler, changes: Partial<JobDefinition<unknown>> = {}): JobKind {
  return defineJob({ kind: 'work', input: z.unknown(), run, ...changes });
}

export interface WorldOptions {
  readonly kinds: readonly JobKind[];
  readonly rules?: readonly Rule[];
  readonly worker?: Partial<WorkerConfig>;
  /** The store's clock at the beginning. */
  readonly start?: number;
  /** Left out: always in the middle. */
  readonly random?: () => number;
  readonly wrap?: (store: Store) => Store;
  readonly tracing?: Tracing;
  readonly shared?: { readonly kinds: readonly string[]; readonly limit: number };
}

export type World = ReturnType<typeof createWorld>;

export function createWorld({
  kinds,
  rules = [],
  worker: config = {},
  start = START,
  random = () => 0.5,
  wrap,
  tracing,
  shared,
}: WorldOptions) {
  const time = createVirtualTime();
  const registry = createRegistry(kinds);
  const database = createMemoryDatabase({ now: () => start + time.now() });
  const store = database.open({ dependants: dependantsOf(registry, rules) });

  /** A process of its own, with its own line to the store. */
  function join(
    id: string,
    changes: Partial<WorkerConfig> = config,
    skew: Skew = { offset: 0, rate: 1 },
  ) {
    const line: Line = createLine(database.open({ dependants: dependantsOf(registry, rules) }));
    const clock = time.process(skew);
    const timers = new Set<() => void>();
    const events = createEvents();
    const emitted: { [Name in EventName]: { name: Name; event: EventMap[Name] } }[EventName][] = [];
    events.onAny((name, event) => emitted.push({ name, event } as never));
    const worker = createWorker({
      config: { id, ...changes },
      store: wrap?.(line.store) ?? line.store,
      registry,
      clock: countTimers(clock, timers),
      random,
      events,
      ...(tracing && { tracing }),
      ...(shared && { shared: createSharedSlots({ ...shared, clock }) }),
    });
    return {
      worker,
      line,
      clock,
      timers,
      events,
      emitted,
      of: <Name extends EventName>(name: Name) => eventsOf(emitted, name),
    };
  }

  const first = join('w1');
  const queue = createQueue({ store, registry, events: first.events });

  async function enqueue(request: Partial<JobRequest> = {}): Promise<JobId> {
    return (await queue.enqueue({ kind: 'work', data: null, ...request })).id;
  }

  async function job(id: JobId): Promise<Job> {
    const found = await store.get({ id });
    if (found === null) throw new Error(`There is no job ${id}.`);
    return found;
  }

  return {
    ...first,
    time,
    registry,
    store,
    queue,
    join,
    enqueue,
    job,
    run: (ms: number) => time.run(time.now() + ms),
    /** Every job of a kind, oldest first. */
    all: async (kind: string) => {
      const { jobs } = await store.list({ filter: { kind }, limit: 1_000 });
      return Promise.all(jobs.toReversed().map(({ id }) => job(id)));
    },
  };
}

/** Counts the timers that would keep a process alive. */
function countTimers(clock: Clock, timers: Set<() => void>): Clock {
  return {
    now: () => clock.now(),
    after(ms, fire) {
      const cancelTimer = clock.after(ms, () => {
        timers.delete(forget);
        fire();
      });
      const forget = (): void => {
        timers.delete(forget);
        cancelTimer();
      };
      timers.add(forget);
      return forget;
    },
  };
}

function eventsOf<Name extends EventName>(
  emitted: readonly { name: EventName; event: unknown }[],
  name: Name,
): EventMap[Name][] {
  return emitted.filter((each) => each.name === name).map((each) => each.event as EventMap[Name]);
}

/** A promise that a test settles. */
export function later<T = void>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (reason: unknown) => void;
} {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** A worker that hears nothing: it looks for itself. */
export function withoutHints(store: Store): Store {
  return { ...store, watch: () => () => {} };
}

/** A store whose claims are answered once a test says so, long after it gave the leases. */
export function answeringAfter(answer: Promise<unknown>): (store: Store) => Store {
  return (store) => ({
    ...store,
    async claim(params) {
      const claimed = await store.claim(params);
      await answer;
      return claimed;
    },
  });
}

/** A store that could commit effects, and refuses every success that has some. */
export function refusingEffects(refused: FailureRecord): (store: Store) => Store {
  return (store) => ({
    ...store,
    keeps: { ...store.keeps, effects: true },
    settle: async ({ settlements }) =>
      settlements.some(({ outcome }) => outcome.move === 'succeed' && outcome.effects.length > 0)
        ? settlements.map(() => ({ refused }))
        : store.settle({ settlements }),
  });
}

/** A handler that ends when it is asked to stop, and not before. */
export function untilAborted({ signal }: JobContext): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
}

/** A handler that never ends, whatever it is asked. */
export function never(): Promise<never> {
  return new Promise(() => {});
}
