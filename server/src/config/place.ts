import type { Config } from './config.ts';
import { databaseContradictions, databaseOf, passwordsOf } from './database.ts';
import { environment } from './environment.ts';
import type { SettingsFile } from './file.ts';
import { type Given, checkGiven } from './given.ts';

/** The settings for the database alone: whoever sets up the schema may have no issuer and no org. */
export type DatabasePlace = Pick<
  Config,
  'databaseUrl' | 'database' | 'dataFolder' | 'durable' | 'secrets'
>;

const settings = environment.pick({
  MILLRACE_DATA: true,
  MILLRACE_DURABLE: true,
  DATABASE_URL: true,
  DATABASE_POOL_SIZE: true,
  DATABASE_SSL: true,
  DATABASE_SSL_CA: true,
  DATABASE_PASSWORD_FILE: true,
  DATABASE_AUTH: true,
  AZURE_CLIENT_ID: true,
  IDENTITY_ENDPOINT: true,
  IDENTITY_HEADER: true,
});

export function readDatabasePlace(env: Given, file: SettingsFile | null = null): DatabasePlace {
  const { values } = checkGiven({ env, file, settings, contradictions: databaseContradictions });
  const databaseUrl = values.DATABASE_URL ?? null;
  return {
    databaseUrl,
    database: databaseOf(values),
    dataFolder: values.MILLRACE_DATA,
    durable: values.MILLRACE_DURABLE,
    secrets: [...passwordsOf(databaseUrl), values.IDENTITY_HEADER ?? ''].filter(
      (secret) => secret !== '',
    ),
  };
}
