import {
  type AmendPart,
  type Keeps,
  MillraceError,
  type Store,
  type UpkeepPart,
} from '@millrace/engine';
import type { Cluster, Redis } from 'ioredis';
import { ANSWER_WITHIN_MS, type ConnectOptions, connect } from './connect.ts';
import { type Context, createContext } from './context.ts';
import { type Hints, startHints } from './hints.ts';
import { type Markers, startMarkers } from './markers.ts';
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
  /** The owner of the jobs: the prefix of BullMQ's queues is this name in braces. */
  readonly prefix?: string;
  /** New jobs and outcomes are answered once so many replicas have them. */
  readonly replicas?: number;
  /** The keys of a queue are not what they should be: its jobs wait until somebody has seen to it. */
  readonly onFault?: (error: Error) => void;
}

export interface BullStore extends Store {
  readonly upkeep: UpkeepPart;
  readonly amend: AmendPart;
}

/** Tenants are kept as a label to filter by, and take no turns. */
const KEEPS: Keeps = { tenants: false, effects: false, executions: true, logs: false };

export async function openBullStore({
  prefix: name = 'millrace',
  replicas = 0,
  onFault = () => {},
  ...options
}: BullStoreOptions): Promise<BullStore> {
  const prefix = prefixOf(name);
  const clients: (Redis | Cluster)[] = [];
  const open = async (): Promise<Redis | Cluster> => {
    const client = await connect(options);
    clients.push(client);
    return client;
  };
  const disconnect = (): void => clients.forEach((client) => client.disconnect());

  try {
    const client = await open();
    if (replicas > 0 && client.isCluster)
      throw new MillraceError(
        'invalid_definition',
        'A cluster cannot be asked which replicas have a write: leave the number of replicas out.',
      );
    const confirmed = replicas === 0 ? null : { client: await open(), replicas };
    const answerWithinMs = options.answerWithinMs ?? ANSWER_WITHIN_MS;
    const hints = await startHints(await open(), { prefix, pingEveryMs: answerWithinMs });
    const markers = startMarkers(await open(), { prefix, answerWithinMs });
    const context = createContext({ client, prefix, onFault, confirmed });
    return storeOf(context, { hints, markers }, disconnect);
  } catch (error) {
    disconnect();
    throw error;
  }
}

function storeOf(
  context: Context,
  { hints, markers }: { readonly hints: Hints; readonly markers: Markers },
  disconnect: () => void,
): BullStore {
  return {
    name: STORE_NAME,
    keeps: KEEPS,
    now: () => now(context),
    enqueue: (params) => enqueue(context, params),
    claim(params) {
      markers.watch(params.wants);
      return claim(context, params);
    },
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
      markers.stop();
      disconnect();
    },
  };
}
