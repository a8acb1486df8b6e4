import { join } from 'node:path';
import type { Dependants, Log } from '@millrace/engine';
import { type PostgresStore, openPgliteStore, openPostgresStore } from '@millrace/store-postgres';
import type { Config } from './config/config.ts';
import { openCredential } from './database/credential.ts';
import { StartError } from './start-error.ts';

/** Postgres where there is a URL, else the embedded one. */
export async function openStore(
  config: Config,
  dependants: Dependants,
  log: Log,
): Promise<PostgresStore> {
  const { databaseUrl: url, durable, database } = config;
  try {
    return url === null
      ? await openPgliteStore({ source: { folder: databaseFolder(config), durable }, dependants })
      : await openPostgresStore({
          url,
          dependants,
          poolSize: database.poolSize,
          ...(database.tls && { tls: database.tls }),
          ...(database.credential && { credential: openCredential(database.credential) }),
          onNotify: logNotify(log),
        });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(`The store at ${storePlace(config)} cannot be opened: ${why}`, {
      cause: error,
    });
  }
}

/** That they arrive at the start is as it should be, and no news. */
export function logNotify(log: Log): (arrives: boolean) => void {
  let isStart = true;
  return (arrives) => {
    if (!arrives)
      log.warn(
        {},
        'no notification of the database arrives, as behind a transaction pooler: workers and live events poll',
      );
    else if (!isStart) log.info({}, 'notifications of the database arrive');
    isStart = false;
  };
}

/** Where the data lives, for people: never with a user name or password. */
export function storePlace(config: Pick<Config, 'databaseUrl' | 'dataFolder'>): string {
  if (config.databaseUrl === null) return databaseFolder(config);
  const { protocol, host, pathname } = new URL(config.databaseUrl);
  return `${protocol}//${host}${pathname}`;
}

function databaseFolder({ dataFolder }: Pick<Config, 'dataFolder'>): string {
  return join(dataFolder, 'db');
}
