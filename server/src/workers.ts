import {
  type Events,
  type JobKind,
  type PoolConfig,
  type Schedule,
  type Store,
  type Totals,
  type Worker,
  type WorkerConfig,
  type WorkerStatus,
  type WriteLine,
  createCrew,
  createEvents,
  createRegistry,
  createSharedSlots,
  createWorker,
} from '@millrace/engine';
import { systemClock } from '@millrace/engine/system';
import type { Config, SalesforceConfig } from './config/config.ts';
import type { Logger } from './log/log.ts';
import { orgPools } from './salesforce/orgs.ts';
import type { Stores } from './stores/open.ts';
import type { Places } from './stores/places.ts';
import type { Telemetry } from './telemetry/types.ts';
import { VERSION } from './version.ts';
import { errorFields } from './log/error.ts';
import { createMask } from './log/mask.ts';
import { redact } from './log/redact.ts';

/** A worker for each store: the main one has everything that is not an org's. */
export function createWorkers(params: {
  readonly config: Config;
  readonly salesforce: SalesforceConfig;
  readonly replica: string;
  readonly stores: Stores;
  readonly places: Places;
  readonly kindsOf: (org: string) => readonly JobKind[];
  readonly rooms: ReadonlyMap<string, number>;
  readonly schedules: () => readonly Schedule[];
  readonly pools: readonly PoolConfig[];
  readonly services: ReadonlyMap<string, unknown>;
  readonly events: Events;
  readonly telemetry: Telemetry;
  readonly log: Logger;
}): Worker {
  const { config, salesforce, replica, stores, places, events, telemetry, log } = params;
  const crew = createCrew();
  const shared = createSharedSlots({
    kinds: [...params.rooms.keys()],
    limit: Math.max(1, ...params.rooms.values()),
    clock: systemClock,
  });
  const writeLine = lineWriter(config.secrets);
  const workOn = (on: Store, kinds: readonly JobKind[], workerConfig: WorkerConfig): Worker =>
    createWorker({
      config: {
        shutdownGrace: config.shutdownGraceMs,
        replica,
        version: VERSION,
        ...workerConfig,
      },
      store: on,
      registry: createRegistry(kinds),
      clock: systemClock,
      random: Math.random,
      // Each counts its own; all of them are reported together.
      events: stores.ofOrgs.size === 0 && stores.redis === null ? events : forwarding(events),
      logFor: ({ id, kind, attempt, correlationId }) =>
        log.child({ id, kind, attempt, correlationId: correlationId ?? id }),
      writeLine,
      wallClock: Date.now,
      ...(telemetry.tracing && { tracing: telemetry.tracing }),
      services: params.services,
      crew,
      shared,
    });
  const main = workOn(stores.main, places.main, {
    id: replica,
    pools: poolsOn(params.pools, places.main),
    schedules: params.schedules,
    lease: config.leaseMs,
  });
  const ofOrgs = [...stores.ofOrgs].map(([name, store]) => {
    const kinds = params.kindsOf(name);
    return workOn(store, kinds, {
      id: `${replica}.${name}`,
      pools: orgPools(
        poolsOn(params.pools, kinds).filter((pool) => pool.kinds !== undefined),
        kinds.map(({ kind }) => kind),
        params.rooms,
        salesforce,
      ),
      lease: salesforce.leaseMs,
    });
  });
  const onRedis =
    stores.redis === null || places.redis.length === 0
      ? []
      : [
          workOn(stores.redis, places.redis, {
            id: `${replica}.redis`,
            pools: poolsOn(params.pools, places.redis, 'redis'),
            lease: config.leaseMs,
          }),
        ];
  return allWorkers(main, [...ofOrgs, ...onRedis]);
}

/** The pools as far as they are for these kinds. The one that has the rest is on each store, each time under its own name. */
export function poolsOn(
  pools: readonly PoolConfig[],
  kinds: readonly JobKind[],
  rest?: string,
): PoolConfig[] {
  return pools.flatMap((pool) => {
    if (pool.kinds === undefined) return [{ ...pool, ...(rest !== undefined && { name: rest }) }];
    const own = pool.kinds.filter((name) => kinds.some(({ kind }) => kind === name));
    return own.length === 0 ? [] : [{ ...pool, kinds: own }];
  });
}

/** Forwards one worker's events to all listeners. */
function forwarding(events: Events): Events {
  const own = createEvents();
  own.onAny((name, event) => events.emit(name, event));
  return own;
}

/** The workers of this process, one for each store, as the one that people pause, resume and ask. */
export function allWorkers(first: Worker, others: readonly Worker[]): Worker {
  if (others.length === 0) return first;
  const all = [first, ...others];
  return {
    id: first.id,
    start: () => all.forEach((worker) => worker.start()),
    pause: () => all.map((worker) => worker.pause()).includes(true),
    resume: () => all.map((worker) => worker.resume()).includes(true),
    stop: async () => void (await Promise.all(all.map((worker) => worker.stop()))),
    status: () => together(all.map((worker) => worker.status())),
    log: (id) => all.map((worker) => worker.log(id)).find((lines) => lines !== null) ?? null,
  };
}

function together(statuses: readonly WorkerStatus[]): WorkerStatus {
  const [first, ...rest] = statuses;
  if (first === undefined) throw new Error('there is no worker');
  return rest.reduce<WorkerStatus>(
    (sum, status) => ({
      ...sum,
      inFlight: sum.inFlight + status.inFlight,
      settling: sum.settling + status.settling,
      lastPoll: latest(sum.lastPoll, status.lastPoll),
      totals: addTotals(sum.totals, status.totals),
      pools: [...sum.pools, ...status.pools],
      jobs: [...sum.jobs, ...status.jobs],
      tookOver: [...sum.tookOver, ...status.tookOver],
    }),
    first,
  );
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

function addTotals(a: Readonly<Totals>, b: Readonly<Totals>): Totals {
  const names = Object.keys(a) as (keyof Totals)[];
  return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as unknown as Totals;
}

/** A line that a handler has logged, for those who look at its job: with nothing in it that the log would not have. */
export function lineWriter(secrets: readonly string[]): WriteLine {
  const mask = createMask(secrets);
  return (fields, message) => {
    const shown = Object.entries(redact(fields)).map(([name, value]) => `${name}=${textOf(value)}`);
    return mask([message, ...shown].join(' '));
  };
}

function textOf(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(errorFields(value)['message'] ?? value.message);
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}
