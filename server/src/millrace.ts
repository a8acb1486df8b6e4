import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type Events,
  type Registry,
  type Schedule,
  type Store,
  type Worker,
  createEvents,
  createQueue,
  createRegistry,
  createWorker,
  dependantsOf,
} from '@millrace/engine';
import type { FastifyInstance } from 'fastify';
import { createApp } from './app.ts';
import { systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { type LoadedJobs, loadJobs } from './jobs-folder.ts';
import { logEvents } from './log-events.ts';
import type { Logger } from './log.ts';
import { StartError } from './start-error.ts';
import { openStore } from './store.ts';
import { webhookKind } from './webhook/kind.ts';

/** A started process. */
export interface Millrace {
  readonly address: string;
  readonly jobs: LoadedJobs;
  readonly inFlight: () => number;
  /** Readiness falls, running jobs end or are handed back, then everything is closed. */
  stop(): Promise<void>;
}

/** Everything that makes up the process, from the jobs folder to the socket. */
export async function startMillrace(config: Config, log: Logger): Promise<Millrace> {
  const jobs = await loadJobs(config.jobsFolder, config.jobsFolderNamed);
  const registry = inWords(() => createRegistry([...jobs.kinds, webhookKind(config.webhook)]));
  const dependants = inWords(() => dependantsOf(registry, jobs.rules));
  inWords(() => config.pools.forEach(({ kinds = [] }) => kinds.forEach(registry.require)));
  const store = await openStore(config, dependants);
  try {
    return await serve({ config, log, jobs, registry, store });
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function serve(parts: {
  config: Config;
  log: Logger;
  jobs: LoadedJobs;
  registry: Registry;
  store: Store;
}): Promise<Millrace> {
  const { config, log, jobs, registry, store } = parts;
  const events = createEvents();
  logEvents(events, log);
  const queue = createQueue({ store, registry, events });
  const worker =
    config.role === 'api'
      ? null
      : inWords(() =>
          workerOf({ config, log, registry, store, events, schedules: jobs.schedules }),
        );
  let stopping = false;
  const app = createApp({
    queue,
    store,
    worker,
    registry,
    config,
    log,
    isStopping: () => stopping,
  });
  const address = await listen(app, config);
  worker?.start();

  return {
    address,
    jobs,
    inFlight: () => worker?.status().inFlight ?? 0,
    async stop() {
      stopping = true;
      await worker?.stop();
      await app.close();
      await store.close();
    },
  };
}

function workerOf(parts: {
  config: Config;
  log: Logger;
  registry: Registry;
  store: Store;
  events: Events;
  schedules: readonly Schedule[];
}): Worker {
  const { config, log, registry, store, events, schedules } = parts;
  return createWorker({
    config: {
      id: `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`,
      pools: config.pools,
      schedules,
      lease: config.leaseMs,
      shutdownGrace: config.shutdownGraceMs,
    },
    store,
    registry,
    clock: systemClock,
    random: Math.random,
    events,
    logFor: ({ id, kind, attempt, correlationId }) =>
      log.child({ id, kind, attempt, correlationId: correlationId ?? id }),
  });
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EADDRINUSE') {
      throw new StartError(
        `Port ${port} on ${host} is taken. Stop what listens there, or set PORT to another (0 takes a free one).`,
      );
    }
    throw new StartError(`Cannot listen on ${host}, port ${port}: ${String(error)}`, {
      cause: error,
    });
  }
}

/** What the engine refuses here is written in someone's job files or settings: no stack of ours helps them. */
function inWords<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new StartError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
