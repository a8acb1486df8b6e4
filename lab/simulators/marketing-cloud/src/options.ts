import {
  type Place,
  checkDistinct,
  checkWholeNumbers,
  invalidOption,
  settlePlace,
} from '@millrace/simulator-kit';
import type { NewDataExtension, Task } from './data/account.ts';
import type { RunSql } from './sql/run-sql.ts';

/** An installed package with a server-to-server component. */
export interface Client {
  readonly clientId: string;
  readonly secret: string;
  /** The MIDs it may ask tokens for; the first is the one it gets without asking. All when left out. */
  readonly mids?: readonly string[];
  /** Such as `data_extensions_read`. Every one that is looked at when left out. */
  readonly scopes?: readonly string[];
}

export interface UnitSpec {
  /** Such as `100001`. */
  readonly mid: string;
  readonly name?: string;
  readonly dataExtensions?: readonly NewDataExtension[];
}

/** How long something of a task takes, by the simulator's clock. */
export type Duration = number | ((task: Task) => number);

export interface MarketingCloudOptions {
  /** `127.0.0.1` when left out. */
  readonly host?: string;
  /** 0, a free one, when left out. */
  readonly port?: number;
  /** One with the id `millrace` and the secret `secret`, for all MIDs, when left out. */
  readonly clients?: readonly Client[];
  /** The first is the enterprise, the others are its business units. 100001 and 100002 when left out. */
  readonly units?: readonly (string | UnitSpec)[];
  /** `expires_in` of a token: 1,079 seconds when left out. */
  readonly tokenSeconds?: number;
  /** From Start until the query runs, at the least. 0 when left out. */
  readonly queueMs?: Duration;
  /** How long the query runs, at the least. 0 when left out. */
  readonly runMs?: Duration;
  /** From Complete until the rowset shows the rows. 0 when left out. */
  readonly rowsAfterMs?: Duration;
  /** A query that runs for longer is stopped. 30 minutes when left out. */
  readonly killAfterMs?: number;
  /** Queries that run at once over all business units; the others stay Queued. 20 when left out. */
  readonly concurrency?: number;
  /** Each request waits so long before it is worked on, in real time. 0 when left out. */
  readonly latencyMs?: number;
  /** How many records a Retrieve gives before MoreDataAvailable. 2,500 when left out. */
  readonly batchSize?: number;
  /**
   * Whether each business unit has the sample data extensions. The data views have rows in any case. True when left
   * out.
   */
  readonly sample?: boolean;
  /** How many rows the data views have: 1 is about 300,000 rows in all. 1 when left out. */
  readonly sampleSize?: number;
  /**
   * How many values (rows by columns) a query may give, and four times as many all data extensions may hold: they are kept in
   * memory, mostly that of a server beside which this runs. 5,000,000 when left out.
   */
  readonly mostValues?: number;
  /** The database that runs the SQL, for tests that want none. DuckDB when left out, opened with the first query. */
  readonly runSql?: RunSql;
  /** Whether DuckDB may be installed when the first query needs it. False when left out: then an error says how. */
  readonly installDuckdb?: boolean;
  /** Where a line about installing goes. A warning of the process when left out. */
  readonly log?: (line: string) => void;
  /** The clock, in milliseconds since 1970. Real time when left out. */
  readonly now?: () => number;
  /** How many milliseconds of the clock pass in one of real time. 1 when left out. */
  readonly speed?: number;
  /** The seed of faults by chance and of the sample: the same seed, the same strikes and rows. */
  readonly seed?: number;
}

export interface Settings extends Place {
  readonly clients: readonly Client[];
  readonly units: readonly UnitSpec[];
  readonly tokenSeconds: number;
  readonly queueMs: Duration;
  readonly runMs: Duration;
  readonly rowsAfterMs: Duration;
  readonly killAfterMs: number;
  readonly concurrency: number;
  readonly latencyMs: number;
  readonly batchSize: number;
  readonly sample: boolean;
  readonly sampleSize: number;
  readonly mostValues: number;
  readonly runSql: RunSql | null;
  readonly installDuckdb: boolean;
  readonly log: (line: string) => void;
  readonly now: () => number;
  readonly speed: number;
  readonly seed: number;
}

const HALF_AN_HOUR = 1_800_000;

/** Options with their defaults, checked. Throws an error with the code `invalid_option`. */
export function settle(options: MarketingCloudOptions): Settings {
  const settings: Settings = {
    ...settlePlace(options, 'It is part of rest_instance_url, which clients follow.'),
    clients: options.clients ?? [{ clientId: 'millrace', secret: 'secret' }],
    units: (options.units ?? ['100001', '100002']).map((unit) =>
      typeof unit === 'string' ? { mid: unit } : unit,
    ),
    tokenSeconds: options.tokenSeconds ?? 1079,
    queueMs: options.queueMs ?? 0,
    runMs: options.runMs ?? 0,
    rowsAfterMs: options.rowsAfterMs ?? 0,
    killAfterMs: options.killAfterMs ?? HALF_AN_HOUR,
    concurrency: options.concurrency ?? 20,
    latencyMs: options.latencyMs ?? 0,
    batchSize: options.batchSize ?? 2500,
    sample: options.sample ?? true,
    sampleSize: options.sampleSize ?? 1,
    mostValues: options.mostValues ?? 5_000_000,
    runSql: options.runSql ?? null,
    installDuckdb: options.installDuckdb ?? false,
    log: options.log ?? ((line) => process.emitWarning(line)),
    now: options.now ?? Date.now,
    speed: options.speed ?? 1,
    seed: options.seed ?? 1,
  };
  checkWholeNumbers(settings, {
    tokenSeconds: 1,
    killAfterMs: 1,
    concurrency: 1,
    latencyMs: 0,
    batchSize: 1,
    mostValues: 1,
    seed: 0,
  });
  for (const name of ['queueMs', 'runMs', 'rowsAfterMs'] as const) {
    const value = settings[name];
    if (typeof value === 'number' && !(value >= 0)) {
      throw invalidOption(`${name}: give milliseconds from 0.`);
    }
  }
  if (!(settings.speed > 0)) throw invalidOption('speed: give a number above 0.');
  if (!(settings.sampleSize > 0 && settings.sampleSize <= 10)) {
    throw invalidOption('sampleSize: give a number above 0 and up to 10.');
  }
  checkUnits(settings);
  return settings;
}

function checkUnits({ units, clients }: Settings): void {
  const mids = units.map(({ mid }) => mid);
  if (mids.length === 0) throw invalidOption('units: give one at the least.');
  if (!mids.every((mid) => /^\d{1,12}$/.test(mid))) {
    throw invalidOption('units: a mid is a number of up to 12 digits.');
  }
  checkDistinct('units', 'mid', mids);
  checkDistinct(
    'clients',
    'clientId',
    clients.map(({ clientId }) => clientId),
  );
  for (const { clientId, mids: own = [] } of clients) {
    const unknown = own.find((mid) => !mids.includes(mid));
    if (unknown !== undefined) {
      throw invalidOption(`clients: ${clientId} names the mid ${unknown}, which is not in units.`);
    }
  }
}

export function durationOf(duration: Duration, task: Task): number {
  return typeof duration === 'number' ? duration : duration(task);
}
