import {
  type Clock,
  type Duration,
  type Events,
  type FieldTable,
  type JobKind,
  type Log,
  type PoolConfig,
  type Random,
  type Rule,
  type Schedule,
  fieldsOf,
} from '@millrace/engine';
import type { Place } from './database.ts';

export interface MillraceOptions {
  /**
   * A pool of `pg`, a connection string, or an embedded database: `{ folder }`, `{ pglite }`, or left out for one in
   * `.millrace/db`.
   */
  readonly database?: Place;
  /** The kinds of this process, made by `defineJob`: it runs them once it is started, and can enqueue them. */
  readonly jobs: readonly JobKind[];
  readonly rules?: readonly Rule[];
  readonly schedules?: readonly Schedule[];
  /** The third argument of `run`, by kind. */
  readonly services?: Readonly<Record<string, unknown>>;
  /** Jobs at the same time in this process: 20. */
  readonly concurrency?: number;
  /** In place of `concurrency`: shares of the process for some kinds, each with a concurrency of its own. */
  readonly pools?: readonly PoolConfig[];
  /** How long others wait before they take jobs over from a process that has died: 2 minutes. */
  readonly lease?: Duration;
  /** How long `stop` lets jobs run on before it interrupts them: 5 minutes. */
  readonly shutdownGrace?: Duration;
  /** Connections to Postgres beside the one that listens: 10. */
  readonly connections?: number;
  /** False: the tables in Postgres are set up by somebody else, and are only checked. */
  readonly migrate?: boolean;
  /** How this process is called where workers are listed: the name of the machine. */
  readonly name?: string;
  /** Receives lines of handlers, and warnings and errors of Millrace; default: the console. `false` turns logging off. */
  readonly log?: Log | false;
  readonly events?: Events;
  readonly clock?: Clock;
  readonly random?: Random;
}

const FIELDS: FieldTable<MillraceOptions> = {
  database: true,
  jobs: true,
  rules: true,
  schedules: true,
  services: true,
  concurrency: true,
  pools: true,
  lease: true,
  shutdownGrace: true,
  connections: true,
  migrate: true,
  name: true,
  log: true,
  events: true,
  clock: true,
  random: true,
};

/** Programs may be JavaScript. What the engine checks itself is left to it. */
export function checkOptions(options: MillraceOptions): MillraceOptions {
  const fields = fieldsOf('createMillrace');
  fields.require(
    'options',
    isObject(options),
    'an object, such as { database: pool, jobs: [greet] }',
  );
  fields.known(options, FIELDS);
  const { database, jobs, services = {}, connections, log = false } = options;
  // An unset DATABASE_URL must not become a database in a folder that nobody knows of.
  fields.require(
    'database',
    !('database' in options) ||
      isObject(database) ||
      (typeof database === 'string' && database !== ''),
    'a pool of pg, a connection string, { folder } or { pglite }. It is there and empty: is an environment variable not set? Leave it out for an embedded database',
  );
  fields.require(
    'jobs',
    Array.isArray(jobs) && jobs.every(isKind),
    'a list of kinds, each made by defineJob',
  );
  const names = new Set(jobs.map(({ kind }) => kind));
  for (const name of Object.keys(services))
    fields.require(`services.${name}`, names.has(name), 'the name of a kind in `jobs`');
  fields.require(
    'concurrency',
    options.concurrency === undefined || options.pools === undefined,
    'a place in one of the pools: with `pools`, each pool has its own',
  );
  fields.require(
    'connections',
    connections === undefined || (Number.isInteger(connections) && connections >= 1),
    'a whole number of at least 1',
  );
  // The text 'false' of an environment variable would set up the tables.
  fields.require(
    'migrate',
    options.migrate === undefined || typeof options.migrate === 'boolean',
    'true or false',
  );
  fields.require(
    'log',
    log === false || (['info', 'warn', 'error'] as const).every((level) => isFunction(log[level])),
    'false, or an object with info, warn and error, such as a logger of pino',
  );
  return options;
}

export function isKind(given: unknown): given is JobKind {
  return (
    typeof given === 'object' &&
    given !== null &&
    'kind' in given &&
    typeof given.kind === 'string' &&
    'maxAttempts' in given
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
