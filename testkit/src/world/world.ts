import {
  createRegistry,
  type Dependants,
  dependantsOf,
  MillraceError,
  type Registry,
  type Settlement,
  type Store,
} from '@millrace/engine';
import {
  createMemoryDatabase,
  type Fence,
  type MemoryDatabase,
  type MemoryStore,
} from '@millrace/store-memory';
import { type Client, createClient } from './client.ts';
import { createExecutions, type Executions } from '../observe/executions.ts';
import { createFaultyStore } from './faulty-store.ts';
import { createFleet, type Fleet } from './fleet.ts';
import { createFollowUps } from '../observe/follow-ups.ts';
import { createViolations, describeViolation, type Violations } from '../observe/invariants.ts';
import type { Surroundings } from '../scenario/handlers.ts';
import { CLEANUPS, kindsIn, rulesAmong, rulesIn } from '../scenario/kinds.ts';
import { createLedger, type Ledger } from '../observe/ledger.ts';
import { createFaultCounts, createLink, type FaultCounts, type Link } from './link.ts';
import { createObservation, type Observation } from '../observe/observation.ts';
import { observe } from '../observe/observer.ts';
import { createDice, type Dice } from '../random.ts';
import { drawScenario, type Scenario } from '../scenario/scenario.ts';
import { createTicks } from '../observe/ticks.ts';
import { createTrace, type Trace } from '../trace.ts';
import { createVirtualTime, type Skew, type VirtualTime } from '../time/virtual-clock.ts';

/** Ways to break what is simulated, for those who want to see that the invariants notice. */
export interface Sabotage {
  /** The store's fence. */
  readonly holds?: Fence;
  /** The store, underneath the observer. */
  readonly store?: (store: MemoryStore) => MemoryStore;
  readonly dependants?: (dependants: Dependants) => Dependants;
  /** The store as the engine sees it, above the bad line. */
  readonly engineStore?: (store: Store) => Store;
  /** The workers' clocks. */
  readonly skew?: (skew: Skew) => Skew;
}

/** Everything that a simulation is made of, put together but not yet run. */
export interface World {
  readonly scenario: Scenario;
  readonly time: VirtualTime;
  readonly ledger: Ledger;
  readonly seen: Observation;
  readonly violations: Violations;
  readonly executions: Executions;
  readonly trace: Trace;
  readonly counts: FaultCounts;
  readonly fleet: Fleet;
  readonly client: Client;
  /** Looks into the store without disturbing anything. */
  readonly peek: Store;
  readonly dice: Dice;
  /** From now on every line is good. */
  calm(): void;
  /** True time; Infinity before it. */
  readonly calmSince: number;
  /** The store loses the commits of the coming time, all at its end. */
  failOver(lostMs: number): void;
  /** True time of the last fail-over; -Infinity before it. */
  readonly failedOverAt: number;
}

/** A Tuesday, some seconds before a full minute: schedules get going soon. */
const START_AT = Date.UTC(2030, 0, 1, 11, 59, 50);

export function createWorld(seed: number, options: { trace: boolean; sabotage: Sabotage }): World {
  const { sabotage } = options;
  const dice = createDice(seed);
  const scenario = skewed(drawScenario(dice.fork('scenario')), sabotage);
  const time = createVirtualTime();
  const trace = createTrace({ now: time.now, keep: options.trace });
  const counts = createFaultCounts();
  // A database counts in whole milliseconds.
  const storeNow = (): number => START_AT + Math.floor(time.now());
  const database = createMemoryDatabase({
    now: storeNow,
    ...(sabotage.holds && { holds: sabotage.holds }),
  });
  const peek = database.open();
  const seen = createObservation({ ...watch(scenario, time, trace), now: storeNow, peek });
  const { ledger, violations } = seen;
  const executions = createExecutions({ ledger, violations, trace, trueNow: time.now, storeNow });

  const nowhere = surroundingsOfNobody(executions, time);
  const registry = createRegistry(kindsIn(nowhere, scenario.kinds, scenario.settings));
  const rules = dependantsOf(registry, rulesIn(scenario.kinds));
  const dependants = sabotage.dependants?.(rules) ?? rules;
  const open = (who: string): MemoryStore => {
    const store = database.open({ dependants });
    return observe(seen, refusePoison(sabotage.store?.(store) ?? store, counts), who);
  };
  const wrap = sabotage.engineStore && { wrap: sabotage.engineStore };
  const parts = { time, scenario, counts, executions, violations, trace, open };
  const fleet = createFleet({ ...parts, ...wrap }, scenario.workers, dice.fork('fleet'));
  const { client, link } = clientOf({ ...parts, registry, ledger, dice });
  let calmSince = Infinity;
  const failOver = createFailOver({ database, seen, executions, time, counts });
  return {
    scenario,
    time,
    ledger,
    seen,
    violations,
    executions,
    trace,
    counts,
    fleet,
    client,
    peek,
    dice,
    calm() {
      calmSince = time.now();
      trace.add('world', 'calm');
      fleet.calm();
      link.calm();
    },
    get calmSince() {
      return calmSince;
    },
    failOver: (lostMs) => failOver.begin(lostMs, () => calmSince < Infinity),
    get failedOverAt() {
      return failOver.lastAt;
    },
  };
}

function skewed(scenario: Scenario, { skew = (as) => as }: Sabotage): Scenario {
  const workers = scenario.workers.map((plan) => ({ ...plan, skew: skew(plan.skew) }));
  return { ...scenario, workers };
}

/** The observer's knowledge before anything has happened. */
function watch(
  scenario: Scenario,
  time: VirtualTime,
  trace: Trace,
): Pick<Observation, 'ledger' | 'violations' | 'followUps' | 'ticks' | 'trace'> {
  const violations = createViolations({
    now: time.now,
    onAdd: (violation) => trace.add('!', describeViolation(violation)),
  });
  const ledger = createLedger();
  const rules = rulesAmong(scenario.kinds);
  return {
    ledger,
    violations,
    followUps: createFollowUps({ rules, cleanups: CLEANUPS, violations }),
    ticks: createTicks({ ledger, violations }),
    trace,
  };
}

function clientOf(params: {
  time: VirtualTime;
  scenario: Scenario;
  counts: FaultCounts;
  violations: Violations;
  trace: Trace;
  open: (who: string) => MemoryStore;
  registry: Registry;
  ledger: Ledger;
  dice: Dice;
}): { client: Client; link: Link } {
  const { time, scenario, counts, violations, trace, open, registry, ledger, dice } = params;
  const { skew, rates, timeoutMs } = scenario.client;
  const clock = time.process(skew);
  const link = createLink({ dice: dice.fork('client'), rates, counts, timeoutMs });
  const store = createFaultyStore({
    store: open('client'),
    time,
    clock,
    link,
    onFault: (verb, what) => trace.add('client', `${verb}: ${what}`),
  });
  const { control } = store;
  if (control === undefined) throw new Error('People pause kinds here.');
  const people = dice.fork('people');
  const client = createClient({
    store,
    control,
    registry,
    clock,
    ledger,
    violations,
    dice: people,
  });
  return { client, link };
}

/** For a registry whose kinds are only asked what they are, never run. */
function surroundingsOfNobody(executions: Executions, time: VirtualTime): Surroundings {
  const clock = time.process();
  const host = { name: 'nowhere', clock, limitsOf: () => ({ kind: 0, pool: 0, together: [] }) };
  return { host, clock, executions, crash: () => Promise.reject(new Error('Nothing runs here.')) };
}

/**
 * A database that falls back to a copy which lacks the last commits: jobs, leases and settlements of the time between are
 * gone for the store, while their workers live on with the answers that they got. Numbers and epochs come again.
 */
interface FailOver {
  /** All commits of the coming time are lost at its end, unless the calm has come by then. */
  begin(lostMs: number, isCalm: () => boolean): void;
  /** True time; -Infinity before the first. */
  readonly lastAt: number;
}

function createFailOver(params: {
  database: MemoryDatabase;
  seen: Observation;
  executions: Executions;
  time: VirtualTime;
  counts: FaultCounts;
}): FailOver {
  const { database, seen, executions, time, counts } = params;
  let lastAt = -Infinity;
  let isUnderWay = false;

  function begin(lostMs: number, isCalm: () => boolean): void {
    // One at a time: what one has undone, the next must not bring back.
    if (isUnderWay) return;
    isUnderWay = true;
    const parts = [database, seen.ledger, seen.followUps, seen.ticks];
    const restores = parts.map((part) => part.snapshot());
    time.after(lostMs, () => {
      isUnderWay = false;
      if (isCalm()) return;
      counts.failOver += 1;
      lastAt = time.now();
      seen.trace.add('world', `fails over, the last ${Math.round(lostMs)} ms are lost`);
      executions.failOver();
      for (const restore of restores) restore();
    });
  }

  return {
    begin,
    get lastAt() {
      return lastAt;
    },
  };
}

/**
 * A store that refuses certain results, as Postgres does with what it cannot keep: the whole batch fails,
 * and the settler has to find the one that is to blame.
 */
function refusePoison<S extends Store>(store: S, counts: FaultCounts): S {
  return {
    ...store,
    async settle(params) {
      if (!params.settlements.some(isPoisoned)) return store.settle(params);
      counts.poisonedResult += 1;
      throw new MillraceError('invalid_text', 'A result in this batch cannot be stored.');
    },
  };
}

function isPoisoned({ outcome }: Settlement): boolean {
  return outcome.move === 'succeed' && outcome.result.includes('poison');
}
