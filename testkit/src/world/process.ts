import {
  type Events,
  type Lease,
  type Store,
  type Worker,
  createEvents,
  createRegistry,
  createWorker,
} from '@millrace/engine';
import type { Host } from '../observe/execution.ts';
import type { Executions } from '../observe/executions.ts';
import { createFaultyStore } from './faulty-store.ts';
import type { Violations } from '../observe/invariants.ts';
import { kindsIn } from '../scenario/kinds.ts';
import { type FaultCounts, type Link, createLink } from './link.ts';
import type { Dice } from '../random.ts';
import type { Scenario, WorkerPlan } from '../scenario/scenario.ts';
import type { Trace } from '../trace.ts';
import type { ProcessClock, VirtualTime } from '../time/virtual-clock.ts';

/** A worker in a process of its own, with everything real but the time, the network and the luck. */
export interface SimulatedProcess {
  readonly host: Host;
  readonly plan: WorkerPlan;
  readonly clock: ProcessClock;
  readonly link: Link;
  readonly worker: Worker;
  /** Nothing of it happens any more; what it had sent still arrives. */
  crash(): void;
}

export interface ProcessParts {
  readonly time: VirtualTime;
  readonly scenario: Scenario;
  readonly counts: FaultCounts;
  readonly executions: Executions;
  readonly violations: Violations;
  readonly trace: Trace;
  /** The observed store, as this process opens it. */
  readonly open: (who: string) => Store;
  /** Between the engine and its bad line; for sabotage. */
  readonly wrap?: (store: Store) => Store;
  readonly onCrash: (process: SimulatedProcess) => void;
}

export function startProcess(
  parts: ProcessParts,
  plan: WorkerPlan,
  name: string,
  dice: Dice,
): SimulatedProcess {
  const { time, scenario, counts, trace } = parts;
  const clock = time.process(plan.skew);
  const { rates, timeoutMs } = plan;
  const link = createLink({ dice: dice.fork('link'), rates, counts, timeoutMs });
  const events = createEvents();
  events.on('lease.fenced', ({ id, write }) => trace.add(name, `fenced ${id} (${write})`));
  const store = holdingBack(parts, name, events, faultyStore(parts, name, clock, link));
  const limits = new Map<string, Limits>();
  const host: Host = { name, clock, limitsOf: (kind) => limits.get(kind) ?? NO_ROOM };
  const crashForGood = (lease: Lease): Promise<never> => {
    parts.executions.kills(host, lease);
    process.crash();
    return new Promise(() => {});
  };
  const around = { host, clock, executions: parts.executions, crash: crashForGood };
  const registry = createRegistry(kindsIn(around, plan.kinds, scenario.settings));
  const worker = createWorker({
    config: {
      id: name,
      pools: plan.pools,
      schedules: scenario.schedules.map(({ schedule }) => schedule),
      lease: plan.leaseMs,
      shutdownGrace: plan.graceMs,
    },
    store: parts.wrap?.(store) ?? store,
    registry,
    clock,
    random: dice.fork('engine').next,
    events,
  });
  for (const { kinds, concurrency } of worker.status().pools) {
    for (const kind of kinds) {
      const ofKind = registry.require(kind).concurrency;
      limits.set(kind, { kind: ofKind, pool: concurrency, together: kinds });
    }
  }
  const process: SimulatedProcess = {
    host,
    plan,
    clock,
    link,
    worker,
    crash() {
      if (clock.state === 'killed') return;
      clock.kill();
      counts.crash += 1;
      trace.add(name, 'crashes');
      parts.onCrash(process);
    },
  };
  trace.add(name, 'starts');
  worker.start();
  return process;
}

type Limits = ReturnType<Host['limitsOf']>;
const NO_ROOM: Limits = { kind: 0, pool: 0, together: [] };

function faultyStore(
  { time, open, trace }: ProcessParts,
  name: string,
  clock: ProcessClock,
  link: Link,
): Store {
  const onFault = (verb: string, what: string): void => trace.add(name, `${verb}: ${what}`);
  return createFaultyStore({ store: open(name), time, clock, link, onFault });
}

/** Watches that a worker asks for nothing new from the moment it was asked to pause or to stop. */
function holdingBack(
  { violations }: ProcessParts,
  name: string,
  events: Events,
  store: Store,
): Store {
  let state = 'stopped';
  events.on('worker.state', (event) => (state = event.state));
  return {
    ...store,
    claim(params) {
      const mayClaim = state === 'running' || params.replay === true;
      const why = (): string => `${name} is ${state} and asks for ${params.claim}`;
      violations.expect(mayClaim, 'pausedWorker', why);
      return store.claim(params);
    },
  };
}
