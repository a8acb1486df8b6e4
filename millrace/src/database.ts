import { resolve } from 'node:path';
import { type Dependants, type Log, MillraceError } from '@millrace/engine';
import {
  type ConnectOptions,
  type PgliteStoreOptions,
  type PostgresStore,
  openPgliteStore,
  openPostgresStore,
} from '@millrace/store-postgres';

/** A pool of the `pg` package, of whatever version. */
export interface PoolLike {
  readonly options: object;
  readonly totalCount: number;
}

/** PGlite, which is Postgres in this process: a folder that nobody else uses, or one that the program has open. */
export type EmbeddedDatabase = PgliteStoreOptions['source'];

export type Place = PoolLike | string | EmbeddedDatabase;

/** Where a server that is started in the same folder has its own. */
const FOLDER = '.millrace/db';

export interface OpenOptions {
  readonly dependants: Dependants;
  readonly log: Log;
  readonly connections?: number | undefined;
  readonly migrate?: boolean | undefined;
}

export function openDatabase(
  place: Place | undefined,
  options: OpenOptions,
): Promise<PostgresStore> {
  const { dependants } = options;
  if (place === undefined)
    return openPgliteStore({ source: { folder: resolve(FOLDER) }, dependants });
  if (typeof place === 'string') return openPostgres({ url: place }, options);
  if (isPool(place)) return openPostgres({ config: configOf(place) }, options);
  if ('folder' in place || 'pglite' in place) return openPgliteStore({ source: place, dependants });
  throw new MillraceError(
    'invalid_definition',
    'createMillrace, database: this is no database. Give it a pool of pg, a connection string, { folder } or { pglite }; leave it out for an embedded one.',
  );
}

function openPostgres(
  connect: ConnectOptions,
  { dependants, log, connections, migrate }: OpenOptions,
): Promise<PostgresStore> {
  return openPostgresStore({
    ...connect,
    dependants,
    ...(connections !== undefined && { poolSize: connections }),
    ...(migrate !== undefined && { migrate }),
    onNotify(arrives) {
      if (!arrives)
        log.warn(
          {},
          'no notification of the database arrives, as behind a transaction pooler: the worker polls',
        );
    },
  });
}

function isPool(place: Exclude<Place, string>): place is PoolLike {
  return 'totalCount' in place && 'options' in place && typeof place.options === 'object';
}

/** The connection settings read from a pool: address and credentials. Limits, time-outs and hooks are not copied. */
const CONNECTING = [
  'connectionString',
  'host',
  'port',
  'user',
  'password',
  'database',
  'ssl',
  'stream',
  'options',
  'client_encoding',
] as const;

type Config = Extract<ConnectOptions, { config: unknown }>['config'];

/**
 * Millrace connects as the pool does, on connections of its own, and asks the pool for none. Its sessions have settings that a
 * program would not want, and heartbeats that wait for a free connection behind a program's slow queries would lose their
 * leases. The members are read one by one: the pool hides its password from whoever lists them.
 */
export function configOf({ options }: PoolLike): Config {
  const given = options as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    CONNECTING.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]),
  );
}
