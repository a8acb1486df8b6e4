import {
  type Clock,
  type Events,
  type JobKind,
  type Outcome,
  type PoolConfig,
  type RunningJob,
  type Worker,
  createEvents,
  createRegistry,
  createWorker,
  defineJob,
} from '@millrace/engine';
import type { SalesforceParts } from '@millrace/salesforce';
import { z } from 'zod';
import type { SalesforceStore, SalesforceStoreOptions } from '../src/index.ts';
import { DOCUMENT, values } from './inside.ts';
import type { Org, World } from './org.ts';

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, fire) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};

export type Run = (job: RunningJob<{ readonly n: number }>) => Promise<Outcome>;

export function documentKind(run: Run): JobKind {
  return defineJob({
    kind: 'document',
    input: z.looseObject({ n: z.number().default(0) }),
    run,
    retry: { backoff: 'linear', retries: 3, step: '10ms' },
  });
}

export interface Replica {
  readonly worker: Worker;
  readonly store: SalesforceStore;
  readonly events: Events;
}

/** A process of its own: its connection, its store, its worker. It does not start by itself. */
export function openReplica(
  world: World,
  kind: JobKind,
  options: {
    readonly id?: string;
    readonly lease?: string;
    readonly pool?: Partial<PoolConfig>;
    readonly store?: Partial<SalesforceStoreOptions>;
    readonly parts?: SalesforceParts;
    readonly random?: () => number;
    readonly clock?: Clock;
    readonly services?: ReadonlyMap<string, unknown>;
  } = {},
): Replica {
  const { id = 'worker-1', lease = '2m', pool, parts } = options;
  const { clock = systemClock, random = Math.random } = options;
  const store = world.open(options.store, parts);
  const events = createEvents();
  const worker = createWorker({
    config: {
      id,
      lease: lease as '2m',
      pools: [{ name: 'documents', interval: { active: 5, idle: 10 }, ...pool }],
    },
    store,
    registry: createRegistry([kind]),
    clock,
    random,
    events,
    ...(options.services && { services: options.services }),
  });
  return { worker, store, events };
}

/** Looks every 25 ms, a bounded number of times. */
export async function eventually(what: string, isSo: () => boolean, tries = 4_000): Promise<void> {
  for (let left = tries; left > 0; left -= 1) {
    if (isSo()) return;
    await new Promise<void>((resolve) => void systemClock.after(25, resolve));
  }
  throw new Error(`It never came to be so: ${what}.`);
}

const OVER = ['SUCCEEDED', 'FAILED', 'CANCELED'];

export function overIn(org: Org): number {
  return values(org, DOCUMENT, 'Status__c').filter((status) => OVER.includes(status)).length;
}

export async function allOver(org: Org): Promise<void> {
  const { length } = org.org.records(DOCUMENT);
  await eventually('all are over', () => overIn(org) === length);
}
