import {
  type Events,
  type JobContext,
  type Registry,
  type Schedule,
  type Store,
  type Worker,
  createEvents,
  createWorker,
  sleep,
} from '@millrace/engine';
import type { ProcessClock, VirtualTime } from '../time/virtual-clock.ts';
import { createFaultyStore } from '../world/faulty-store.ts';
import { type Breaks, type Point, createOrderedLink } from './breaks.ts';
import { noting } from './noting.ts';
import type { OpenRun, Runs } from './runs.ts';
import type { Stretches } from './stretches.ts';

/** A worker in a process of its own: it can be killed or stand still without the others. */
export interface TestProcess {
  readonly name: string;
  readonly clock: ProcessClock;
  readonly worker: Worker;
  /** Calls of the store that have no answer yet. */
  readonly calls: Set<Promise<unknown>>;
  /** Stands still because it was ordered, not because nothing is due. */
  isStruck: boolean;
}

/** The job whose handler a stretch of code belongs to. */
export interface Execution {
  readonly process: TestProcess;
  readonly run: OpenRun;
}

export interface Processes {
  /** At least one runs. */
  ensure(): void;
  /** Nothing of them runs until `wake`: their many timers would make a day as long as a second. */
  rest(): void;
  wake(): void;
  /** No call is under way. */
  isQuiet(): boolean;
  /** One stands still that will go on. */
  isOneStruck(): boolean;
  /** The process of the handler that asks, or the one that runs; another starts in its place. */
  crash(): Promise<never>;
}

export interface ProcessParts {
  readonly time: VirtualTime;
  readonly registry: Registry;
  readonly services: ReadonlyMap<string, unknown>;
  readonly schedules: readonly Schedule[];
  readonly concurrency: number;
  readonly open: () => Store;
  /** Milliseconds since 1970, by the store's clock. */
  readonly storeNow: () => number;
  readonly breaks: Breaks;
  readonly stretches: Stretches<Execution>;
  readonly runs: Runs;
  /** Hears what happens in any of them. */
  readonly events: Events;
}

const LEASE_MS = 120_000;
/** By then somebody else has taken the job over. */
const FROZEN_MS = 1.5 * LEASE_MS;
/** In the middle: no jitter, and the same delays in every test. */
const RANDOM = (): number => 0.5;

export function createProcesses(parts: ProcessParts): Processes {
  const { time, stretches, runs, breaks, events } = parts;
  const all: TestProcess[] = [];

  function start(): void {
    const name = `worker-${all.length + 1}`;
    const clock = time.process();
    const calls = new Set<Promise<unknown>>();
    const own = createEvents();
    own.onAny((event, what) => {
      // It stood still because nothing was due.
      if (event !== 'worker.blocked') events.emit(event, what);
    });
    own.on('lease.fenced', ({ id }) => runs.fenced(process, id));
    const faulty = createFaultyStore({
      store: parts.open(),
      time,
      clock,
      link: createOrderedLink(breaks),
      onFault: () => {},
      onCall: (answer) => count(calls, answer),
    });
    const store = noting(faulty, {
      runs,
      process: () => process,
      before: (points) => strike(process, points),
      virtually: stretches.virtually,
    });
    const { services, registry, schedules, concurrency } = parts;
    const worker = createWorker({
      config: {
        id: name,
        lease: LEASE_MS,
        schedules,
        pools: [{ name: 'all', concurrency, batch: concurrency }],
      },
      store,
      registry: watched(registry, () => process),
      clock,
      random: RANDOM,
      events: own,
      logFor: (job) => runs.of(job)?.log ?? SILENT,
      wallClock: parts.storeNow,
      services,
    });
    const process: TestProcess = { name, clock, worker, calls, isStruck: false };
    all.push(process);
    worker.start();
  }

  /** The same kinds, with handlers that are followed. */
  function watched(registry: Registry, process: () => TestProcess): Registry {
    const kinds = new Map(
      registry.all().map((kind) => [
        kind.kind,
        {
          ...kind,
          run: ((job, context, service) => {
            const run = runs.begin(process(), job, context.lease);
            return stretches.follow({ process: process(), run }, () =>
              kind.run(job, withNotes(context, run), service),
            );
          }) satisfies typeof kind.run,
        },
      ]),
    );
    return {
      get: (name) => kinds.get(name),
      require: (name) => kinds.get(name) ?? registry.require(name),
      all: () => [...kinds.values()],
    };
  }

  /** Carries out now what was ordered for one of these points; what is killed never comes back. */
  async function strike(process: TestProcess, points: readonly Point[]): Promise<void> {
    const how = points.map((point) => breaks.strikes(point)).find((each) => each !== null);
    if (how === 'killed') return kill(process);
    if (how === undefined) return;
    freeze(process);
    await sleep(process.clock, 0); // comes when it goes on
  }

  function kill(process: TestProcess): Promise<never> {
    process.clock.kill();
    process.calls.clear();
    runs.lost(process);
    stretches.forget((execution) => execution.process === process);
    ensure();
    return new Promise(() => {});
  }

  function freeze(process: TestProcess): void {
    process.isStruck = true;
    process.clock.freeze();
    ensure();
    time.after(FROZEN_MS, () => {
      process.isStruck = false;
      process.clock.thaw();
    });
  }

  function living(): TestProcess[] {
    return all.filter(({ clock, isStruck }) => clock.state !== 'killed' && !isStruck);
  }

  function ensure(): void {
    if (living().length === 0) start();
  }

  return {
    ensure,
    rest: () => living().forEach(({ clock }) => clock.freeze()),
    wake: () => living().forEach(({ clock }) => clock.thaw()),
    isQuiet: () => all.every(({ calls }) => calls.size === 0),
    isOneStruck: () => all.some(({ isStruck }) => isStruck),
    crash() {
      const [first] = living();
      const process = stretches.current()?.process ?? first;
      return process === undefined ? new Promise(() => {}) : kill(process);
    },
  };
}

/** Progress is saved once a second, and most handlers take no virtual time: what they report is noted at once. */
function withNotes(context: JobContext, run: OpenRun): JobContext {
  return {
    get signal() {
      return context.signal;
    },
    get lease() {
      return context.lease;
    },
    get log() {
      return context.log;
    },
    enqueue: (request) => context.enqueue(request),
    pauseTimeout: () => context.pauseTimeout(),
    step: (name, work) => context.step(name, work),
    get: (id) => context.get(id),
    progress(progress) {
      run.reported(progress);
      context.progress(progress);
    },
  };
}

const SILENT = { info() {}, warn() {}, error() {} };

function count(calls: Set<Promise<unknown>>, answer: Promise<unknown>): void {
  calls.add(answer);
  const end = (): void => void calls.delete(answer);
  answer.then(end, end);
}
