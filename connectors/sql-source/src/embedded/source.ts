import { join } from 'node:path';
import pg from 'pg';
import {
  aborted,
  OWN,
  refuseAborted,
  sourceError,
  SourceError,
  SourceUnavailable,
  unavailable,
} from '../errors.ts';
import type { Line } from '../reading/session.ts';
import type { KnownTrees } from '../reading/parse-tree.ts';
import { beginReading } from '../reading/reading.ts';
import { tapRows } from '../reading/row-tap.ts';
import type { BeginOptions, Reading, SqlSource } from '../source.ts';
import { createEmbeddedDatabase, type EmbeddedDatabase } from './database.ts';

export interface EmbeddedSource extends SqlSource {
  readonly kind: 'embedded';
  readonly change: (sql: string) => Promise<void>;
}

export interface EmbeddedSourceOptions {
  readonly folder: string;
  /**
   * Makes the folder, keeps other processes out of it and gives what lets them in again; throws a sentence. PGlite takes no lock, and two
   * processes on one folder lose writes without a word (docs/decisions/0009-embedded-database.md).
   */
  readonly lock: (folder: string) => Promise<() => Promise<void>>;
  /** Makes a database, unless it is there. */
  readonly create: (dataDir: string) => Promise<void>;
}

const CHECK_WITHIN_MS = 60_000;
/** For a statement to see that nobody wants its answer; one that computes is ended with its thread. */
const CANCEL_WITHIN_MS = 1_000;
/** Nothing runs then, so whoever takes longer is a thread that hangs, or a machine that does. */
const GOODBYE_WITHIN_MS = 30_000;

/**
 * Postgres in a thread of this process, with a folder of its own. It starts with the first question: 0.5 s.
 */
export function openEmbeddedSource({
  folder,
  lock,
  create,
}: EmbeddedSourceOptions): EmbeddedSource {
  const turns = createTurns();
  const dataDir = join(folder, 'pg');
  const database = createEmbeddedDatabase(dataDir);
  const closing = new AbortController();
  const trees: KnownTrees = new Map();
  let unlock: Promise<() => Promise<void>> | null = null;

  /** The lock stays with the process until `close`; one that was refused is tried again. */
  async function locked(): Promise<void> {
    unlock ??= lock(folder);
    await unlock.catch((cause: unknown) => {
      unlock = null;
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new SourceUnavailable(message, { code: OWN.stopped, cause });
    });
  }

  async function connect(signal?: AbortSignal): Promise<Line> {
    if (closing.signal.aborted) throw closed();
    const endTurn = await turns.take(signal);
    try {
      await locked();
      await create(dataDir);
      return await lineOf(database, endTurn);
    } catch (error) {
      endTurn();
      throw unavailable(error);
    }
  }

  async function begin(options: BeginOptions): Promise<Reading> {
    const signals = [closing.signal, ...(options.signal === undefined ? [] : [options.signal])];
    const signal = AbortSignal.any(signals);
    const line = await connect(signal);
    return beginReading(line, { ...options, signal, allowed: new Set(), trees });
  }

  return {
    kind: 'embedded',
    begin,
    async check() {
      // It is at work.
      if (turns.isTaken()) return;
      const reading = await begin({ statementTimeoutMs: CHECK_WITHIN_MS });
      await reading.end();
    },
    async change(sql) {
      const line = await connect();
      try {
        await line.client.query(sql);
        await tidy(line.client);
      } catch (error) {
        throw sourceError(error, sql);
      } finally {
        await line.close();
      }
    },
    async close() {
      closing.abort(closed());
      const endTurn = await turns.take();
      await database.close();
      const held = await unlock?.catch(() => null);
      await held?.();
      endTurn();
    },
  };
}

// The embedded database has no process that checkpoints. Without, its log keeps every byte ever written.
const LOG_BYTES = `
SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 AS bytes FROM pg_control_checkpoint()`;
const LONGEST_LOG_BYTES = 128 * 1024 * 1024;

async function tidy(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ bytes: number }>(LOG_BYTES);
  if ((rows[0]?.bytes ?? 0) > LONGEST_LOG_BYTES) await client.query('CHECKPOINT');
}

async function lineOf(database: EmbeddedDatabase, endTurn: () => void): Promise<Line> {
  const session = await database.open();
  const client = new pg.Client({
    stream: () => session.stream,
    user: 'postgres',
    database: 'postgres',
    host: 'embedded',
    ssl: false,
  });
  client.on('error', () => {});
  tapRows(client);

  async function leave(withinMs: number): Promise<void> {
    session.stream.destroy();
    await session.over(withinMs);
    endTurn();
  }

  try {
    await client.connect();
  } catch (error) {
    await leave(CANCEL_WITHIN_MS);
    throw error;
  }
  return {
    client,
    cancel: () => Promise.resolve(session.control.cancel()),
    cut: () => leave(CANCEL_WITHIN_MS),
    async close() {
      await client.end();
      await leave(GOODBYE_WITHIN_MS);
    },
  };
}

function closed(): SourceError {
  return new SourceError('The source is closed.', { code: OWN.closed, retryable: false });
}

/** One at a time, in the order in which they asked. */
interface Turns {
  /** Gives the function that ends the turn. */
  take(signal?: AbortSignal): Promise<() => void>;
  isTaken(): boolean;
}

function createTurns(): Turns {
  const waiting: (() => void)[] = [];
  let taken = false;

  /** Once, however often it is called. */
  function turn(): () => void {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const next = waiting.shift();
      if (next === undefined) taken = false;
      else next();
    };
  }

  function wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(aborted(signal?.reason));
      };
      waiting.push(begin);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  return {
    async take(signal) {
      refuseAborted(signal);
      if (taken) await wait(signal);
      taken = true;
      return turn();
    },
    isTaken: () => taken,
  };
}
