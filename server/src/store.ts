import { join } from 'node:path';
import { type Dependants, type Log, StoreUnavailable } from '@millrace/engine';
import {
  type ConnectOptions,
  type Credential,
  type PostgresStore,
  openPgliteStore,
  openPostgresStore,
} from '@millrace/store-postgres';
import type { Config } from './config/config.ts';
import { StartError } from './start-error.ts';
import { readFile } from 'node:fs/promises';
import type { CredentialConfig } from './config/database.ts';
import { AZURE_RESOURCES, createAzureTokens } from '@millrace/workload-kit';

export const CHECK_ADDRESS = 'Check DATABASE_URL: host, port, user, password, database.';

/** Postgres where there is a URL, else the embedded one. */
export async function openStore(
  config: Config,
  dependants: Dependants,
  log: Log,
): Promise<PostgresStore> {
  const { databaseUrl: url, durable, database, migrate } = config;
  try {
    return url === null
      ? await openPgliteStore({
          source: { folder: databaseFolder(config), durable },
          migrate,
          dependants,
        })
      : await openPostgresStore({
          ...connectOptions(url, database),
          migrate,
          dependants,
          poolSize: database.poolSize,
          onNotify: logNotify(log),
        });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const advice = url !== null && error instanceof StoreUnavailable ? ` ${CHECK_ADDRESS}` : '';
    throw new StartError(
      `The store at ${storePlace(config)} cannot be opened: ${why.replace(/[^.]$/, '$&.')}${advice}`,
      { cause: error },
    );
  }
}

export function connectOptions(
  url: string,
  { tls, credential }: Config['database'],
): ConnectOptions {
  return {
    url,
    ...(tls && { tls }),
    ...(credential && { credential: openCredential(credential) }),
  };
}

/**
 * Logs when notifications stop and when they are back. That they arrive at the start is as it should be, and not
 * logged.
 */
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

export function databaseFolder({ dataFolder }: Pick<Config, 'dataFolder'>): string {
  return join(dataFolder, 'db');
}

function openCredential(config: CredentialConfig): Credential {
  return config.from === 'azure'
    ? createAzureTokens({ ...config, resource: AZURE_RESOURCES.postgres, now: Date.now })
    : { password: () => passwordIn(config.path) };
}

/** Editors and `echo` end a file with a line break, which is no part of the password. */
async function passwordIn(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${path} of DATABASE_PASSWORD_FILE cannot be read: ${error.code}`);
  });
  const password = text.replace(/\r?\n$/, '');
  if (password === '') throw new Error(`${path} of DATABASE_PASSWORD_FILE is empty`);
  return password;
}
