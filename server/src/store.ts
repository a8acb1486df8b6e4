import { join } from 'node:path';
import type { Dependants } from '@millrace/engine';
import { type PostgresStore, openPgliteStore, openPostgresStore } from '@millrace/store-postgres';
import type { Config } from './config/config.ts';
import { StartError } from './start-error.ts';

/** Postgres where there is a URL, else the embedded one. */
export async function openStore(config: Config, dependants: Dependants): Promise<PostgresStore> {
  try {
    return config.databaseUrl === null
      ? await openPgliteStore({ source: { folder: databaseFolder(config) }, dependants })
      : await openPostgresStore({ url: config.databaseUrl, dependants });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(`The store at ${storePlace(config)} cannot be opened: ${why}`, {
      cause: error,
    });
  }
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
