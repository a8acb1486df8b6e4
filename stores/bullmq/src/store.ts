import {
  type AmendPart,
  type Keeps,
  MillraceError,
  type Store,
  type UpkeepPart,
} from '@millrace/engine';
import { type ConnectOptions, connect } from './connect.ts';
import { createContext } from './context.ts';
import { startHints } from './hints.ts';
import { STORE_NAME, prefixOf } from './names.ts';
import { claim } from './operations/claim.ts';
import { enqueue } from './operations/enqueue.ts';
import { erase } from './operations/erase.ts';
import { cancel, createAmend, retry } from './operations/hand.ts';
import { createUpkeep } from './operations/prune.ts';
import { counts, get, inspect, listJobs, now, summaries } from './operations/read.ts';
import { renew } from './operations/renew.ts';
import { settle } from './operations/settle.ts';

export interface BullStoreOptions extends ConnectOptions {
  /** Whose jobs these are: the prefix of BullMQ's queues is this name in braces. */
  readonly prefix?: string;
  /** New jobs and outcomes are answered once so many replicas have them. */
  readonly replicas?: number;
}

export interface BullStore extends Store {
  readonly upkeep: UpkeepPart;
  readonly amend: AmendPart;
}

/** Tenants are kept as a label to filter by, and take no turns. */
const KEEPS: Keeps = { tenants: false, effects: false, executions: true };

export async function openBullStore({
  prefix: name = 'millrace',
  replicas = 0,
  ...options
}: BullStoreOptions): Promise<BullStore> {
  const prefix = prefixOf(name);
  const client = await connect(options);
  if (replicas > 0 && client.isCluster) {
    client.disconnect();
    throw new MillraceError(
      'invalid_definition',
      'A cluster cannot be asked which replicas have a write: leave the number of replicas out.',
    );
  }
  const subscriber = await connect(options).catch((error: unknown) => {
    client.disconnect();
    throw error;
  });
  const context = createContext(client, { prefix, replicas });
  const hints = await startHints(subscriber, prefix).catch((error: unknown) => {
    client.disconnect();
    subscriber.disconnect();
    throw error;
  });
  return {
    name: STORE_NAME,
    keeps: KEEPS,
    now: () => now(context),
    enqueue: (params) => enqueue(context, params),
    claim: (params) => claim(context, params),
    renew: (params) => renew(context, params),
    settle: (params) => settle(context, params),
    cancel: (params) => cancel(context, params),
    retry: (params) => retry(context, params),
    erase: (params) => erase(context, params),
    get: (params) => get(context, params),
    list: (params) => listJobs(context, params),
    summaries: (params) => summaries(context, params),
    counts: () => counts(context),
    inspect: (params) => inspect(context, params),
    watch: hints.watch,
    upkeep: createUpkeep(context),
    amend: createAmend(context),
    async close() {
      hints.stop();
      client.disconnect();
      subscriber.disconnect();
    },
  };
}
