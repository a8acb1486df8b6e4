import { readFile } from 'node:fs/promises';
import type { Log } from '@millrace/engine';
import type { BullStore } from '@millrace/store-bullmq';
import type { RedisConfig } from '../config/redis.ts';
import { StartError } from '../start-error.ts';

/** The Redis of REDIS_URL. It must be there at the start; later it may go away and come back. */
export async function openRedis(config: RedisConfig, log: Log): Promise<BullStore> {
  const { url, prefix, replicas } = config;
  try {
    const password = await passwordOf(config);
    // The driver takes a quarter of a second to load, which nobody waits for who has no Redis.
    const { openBullStore } = await import('@millrace/store-bullmq');
    return await openBullStore({
      url,
      prefix,
      replicas,
      ...(password !== null && { password }),
      onAway: logOnce(log, 'Redis does not answer; its jobs wait until it does'),
      onFault: logOnce(log, 'Jobs of a kind in Redis cannot run'),
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(`The Redis at REDIS_URL (${new URL(url).host}) cannot be used: ${why}`, {
      cause: error,
    });
  }
}

/** Editors and `echo` end a file with a line break, which is no part of the password. */
export async function passwordOf({ passwordFile }: RedisConfig): Promise<string | null> {
  if (passwordFile === null) return null;
  const text = await readFile(passwordFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${passwordFile} of REDIS_PASSWORD_FILE cannot be read: ${error.code}`);
  });
  return text.replace(/\r?\n$/, '');
}

/** A server that is away is tried several times a second: the same reason is logged once a minute. */
function logOnce(log: Log, what: string): (error: unknown) => void {
  let last = { message: '', at: -Infinity };
  return (err) => {
    const message = err instanceof Error ? err.message : String(err);
    const at = performance.now();
    if (message === last.message && at - last.at < 60_000) return;
    last = { message, at };
    log.warn({ err }, what);
  };
}
