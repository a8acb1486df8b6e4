import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type Log,
  type PoolConfig,
  type WorkerConfig,
  createEvents,
  createRegistry,
  createWorker,
  dependantsOf,
  logEvents,
} from '@millrace/engine';
import { systemClock } from '@millrace/engine/system';
import { openDatabase } from './database.ts';
import { type Millrace, createHandle } from './handle.ts';
import { SILENT, consoleLog, logOf, warningsOf } from './log.ts';
import { type MillraceOptions, checkOptions } from './options.ts';
import { reportToServers } from './replica.ts';

/**
 * A job queue inside this process: its database is opened and set up, and nothing runs before `start`. It touches no signal
 * of the process: whoever started the process calls `stop`.
 */
export async function createMillrace(options: MillraceOptions): Promise<Millrace> {
  const { database, jobs, rules = [], services = {}, connections, migrate } = checkOptions(options);
  const { events = createEvents(), clock = systemClock, random = Math.random } = options;
  const log = logFrom(options);
  const registry = createRegistry(jobs);
  const dependants = dependantsOf(registry, rules);
  const store = await openDatabase(database, { dependants, log, connections, migrate });
  try {
    const worker = createWorker({
      config: workerConfig(options),
      store,
      registry,
      clock,
      random,
      events,
      logFor: (job) => logOf(log, job),
      wallClock: Date.now,
      services: new Map(Object.entries(services)),
    });
    logEvents(events, warningsOf(log), clock.now);
    const telling = reportToServers({ store, events, clock, log, replica: worker.id });
    return createHandle({
      store,
      registry,
      worker,
      events,
      clock,
      async close() {
        await telling.close();
        await store.close();
      },
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}

function logFrom({ log = consoleLog }: MillraceOptions): Log {
  return log === false ? SILENT : log;
}

function workerConfig(options: MillraceOptions): WorkerConfig {
  const { name = hostname(), schedules, lease, shutdownGrace } = options;
  return {
    id: `${name}-${process.pid}-${randomBytes(3).toString('hex')}`,
    pools: poolsOf(options),
    ...(schedules !== undefined && { schedules }),
    ...(lease !== undefined && { lease }),
    ...(shutdownGrace !== undefined && { shutdownGrace }),
  };
}

function poolsOf({ concurrency, pools = [] }: MillraceOptions): readonly PoolConfig[] {
  return concurrency === undefined ? pools : [{ name: 'default', concurrency }];
}
