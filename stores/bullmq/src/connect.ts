import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { isSilence, storeError } from './errors.ts';

export interface ConnectOptions {
  /** `redis://` or, with TLS, `rediss://`; user and password may be in it. */
  readonly url: string;
  /** Instead of one in the URL. */
  readonly password?: string;
  /** A command that takes longer has failed, whatever became of it. */
  readonly answerWithinMs?: number;
  /** The connection was lost, or cannot be made again yet. */
  readonly onAway?: (error: unknown) => void;
}

export const ANSWER_WITHIN_MS = 10_000;

/**
 * ioredis sends commands again whose answer was lost: over six kills of the server that made 12 jobs twice. Here they fail,
 * as unknown, and the engine asks again in a way that can be repeated. `maxRetriesPerRequest: null` would wait for ever.
 * A cluster has a resending of its own: see below.
 */
function optionsOf({ password, answerWithinMs = ANSWER_WITHIN_MS }: ConnectOptions): RedisOptions {
  return {
    ...(password !== undefined && { password }),
    lazyConnect: true,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    commandTimeout: answerWithinMs,
    connectTimeout: answerWithinMs,
    keepAlive: 10_000,
    disconnectTimeout: 100,
    retryStrategy: (times) => Math.min(2_000, 50 * 2 ** Math.min(times, 6)),
    // After a fail-over the address may lead to another server.
    reconnectOnError: ({ message }) => message.includes('READONLY'),
  };
}

/** A client that is connected; of a whole cluster, where the server is part of one. */
export async function connect(options: ConnectOptions): Promise<Redis | Cluster> {
  const client = listened(new Redis(options.url, optionsOf(options)), options);
  // When a connection cannot be made, the driver says only that it was closed.
  let reason: unknown = null;
  const remember = (error: unknown): void => void (reason ??= error);
  client.on('error', remember);
  try {
    await client.connect();
    const info = await client.info('cluster');
    client.off('error', remember);
    if (!info.includes('cluster_enabled:1')) return client;
    client.disconnect();
    return await connectCluster(options);
  } catch (error) {
    client.disconnect();
    throw storeError(reason ?? error);
  }
}

async function connectCluster(options: ConnectOptions): Promise<Cluster> {
  const { hostname, port, username, password, protocol } = new URL(options.url);
  const cluster = listened(
    new Cluster([{ host: hostname, port: Number(port || 6379) }], {
      lazyConnect: true,
      enableOfflineQueue: false,
      // A connection that closed, or a part that is down, may have taken the command: 6 of 6 jobs were made twice. What was
      // redirected (MOVED, ASK, TRYAGAIN) was not taken, and is sent on.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      slotsRefreshTimeout: 5_000,
      clusterRetryStrategy: (times) => Math.min(2_000, 50 * 2 ** Math.min(times, 6)),
      redisOptions: {
        ...optionsOf(options),
        ...(username !== '' && { username: decodeURIComponent(username) }),
        ...(password !== '' &&
          options.password === undefined && { password: decodeURIComponent(password) }),
        ...(protocol === 'rediss:' && { tls: { servername: hostname } }),
      },
    }),
    options,
  );
  try {
    await ready(cluster, options);
    return cluster;
  } catch (error) {
    cluster.disconnect();
    throw error;
  }
}

/**
 * The driver's own promise never ends where the cluster is not whole at first. Nodes are connected by it with their first
 * command, and commands that come while that is under way are refused: so each is asked something first.
 */
async function ready(
  cluster: Cluster,
  { answerWithinMs = ANSWER_WITHIN_MS }: ConnectOptions,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const isReady = new Promise<void>((resolve, reject) => {
    cluster.once('ready', resolve);
    timer = setTimeout(
      () => reject(new Error('the cluster is not whole (CLUSTER INFO says more)')),
      answerWithinMs,
    );
  });
  // It tries again by itself.
  cluster.connect().catch(() => {});
  try {
    await isReady;
  } finally {
    clearTimeout(timer);
  }
  // One that does not answer may be of no concern here: it has the slots of others.
  await Promise.all(cluster.nodes('master').map((node) => node.ping().catch(() => {})));
}

/**
 * A connection that was silent for so long may be one that leads nowhere (a firewall that forgot it, a host that is gone), on
 * which every later command would wait as long and fail too: another is made. Waiting commands end as unknown.
 */
export function distrust(client: Redis | Cluster, error: unknown): void {
  if (isSilence(error) && client.status === 'ready') client.disconnect(true);
}

/** An `error` that nobody hears would end the process. */
function listened<C extends Redis | Cluster>(client: C, { onAway }: ConnectOptions): C {
  client.on('error', (error: unknown) => onAway?.(error));
  return client;
}
