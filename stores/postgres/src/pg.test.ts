import { StoreTimedOut, StoreUnavailable } from '@millrace/engine';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { untilGone } from '../test/cuts.ts';
import { type TestDatabases, testDatabases, testServer } from '../test/databases.ts';
import { type How, type Line, startLine } from '../test/line.ts';
import type { Session, Statement } from './database.ts';
import { type PgDatabase, openPg } from './pg.ts';

/** The driver under faults that come from the server and from the line. What its callers make of them is in lost-line. */

const PID: Statement = { name: 'pid', text: 'SELECT pg_backend_pid() AS pid' };
const SLOW: Statement = { name: 'slow', text: `SELECT pg_sleep(600) AS pid` };
const IDLE: Statement = {
  name: 'idle',
  text: `SELECT current_setting('idle_in_transaction_session_timeout') AS limit`,
};
const WRONG: Statement = { name: 'wrong', text: 'SELECT 1 / 0' };

let databases: TestDatabases;
let url: string;
let line: Line;
let admin: pg.Client;
const cleanups: (() => Promise<unknown>)[] = [];
const uncaught: Error[] = [];
const note = (error: Error): void => void uncaught.push(error);

beforeAll(async () => {
  process.on('uncaughtExceptionMonitor', note);
  databases = await testDatabases();
});
afterAll(async () => {
  await databases.remove();
  process.off('uncaughtExceptionMonitor', note);
});
beforeEach(async () => {
  const database = await databases.create();
  ({ url } = database);
  line = await startLine(testServer());
  admin = new pg.Client(url);
  await admin.connect();
  cleanups.push(
    () => database.drop(),
    () => admin.end(),
    () => line.close(),
  );
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  expect(uncaught).toEqual([]);
});

function open(
  at: string,
  options: { poolSize?: number; answerWithinMs?: number } = {},
): PgDatabase {
  const database = openPg({ url: at, poolSize: 1, answerWithinMs: 30_000, ...options });
  cleanups.push(() => database.close());
  return database;
}

async function pidOf(session: Session): Promise<number> {
  const [row] = await session.query<{ pid: number }>(PID, []);
  return row?.pid ?? 0;
}

/** Lets the time for an answer pass once the server is at it: a busy machine takes longer for everything else. */
async function timesOut(ask: () => Promise<unknown>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const outcome = expect(ask()).rejects.toBeInstanceOf(StoreTimedOut);
    const running = `SELECT FROM pg_stat_activity WHERE state = 'active' AND query = $1`;
    while ((await admin.query(running, [SLOW.text])).rowCount === 0);
    await vi.advanceTimersByTimeAsync(30_000);
    await outcome;
  } finally {
    vi.useRealTimers();
  }
}

function inOptions(setting: string): string {
  const optioned = new URL(url);
  optioned.searchParams.set('options', `-c ${setting}`);
  return optioned.href;
}

describe('a statement that takes too long', () => {
  it('leaves no connection behind on which the next caller would wait for the old answer', async () => {
    const database = open(url, { answerWithinMs: 30_000 });
    const before = await pidOf(database);
    await timesOut(() => database.query(SLOW, []));
    expect(await pidOf(database)).not.toBe(before);
    await timesOut(() => database.transaction((session) => session.query(SLOW, [])));
    await pidOf(database);
    expect(database.connections()).toEqual({ total: 1, idle: 1, waiting: 0 });
  });

  it('is told apart when the server stops it', async () => {
    const database = open(inOptions('statement_timeout=50'));
    await expect(database.query(SLOW, [])).rejects.toBeInstanceOf(StoreTimedOut);
    await pidOf(database);
  });
});

describe('an open transaction', () => {
  it('whose session the server ends between two statements is away, and no more than that', async () => {
    const database = open(url);
    const outcome = database.transaction(async (session) => {
      const pid = await pidOf(session);
      await admin.query('SELECT pg_terminate_backend($1)', [pid]);
      await untilGone(admin, pid);
      await pidOf(session);
    });
    await expect(outcome).rejects.toBeInstanceOf(StoreUnavailable);
    await pidOf(database);
    expect(database.connections()).toEqual({ total: 1, idle: 1, waiting: 0 });
  });

  it('that fails by what its caller throws says that, also when its connection is gone by then', async () => {
    const database = open(url);
    const reason = new Error('The caller’s own reason.');
    const outcome = database.transaction(async (session) => {
      const pid = await pidOf(session);
      await admin.query('SELECT pg_terminate_backend($1)', [pid]);
      await untilGone(admin, pid);
      throw reason;
    });
    await expect(outcome).rejects.toBe(reason);
  });

  it('does not pass for committed when the error of a statement was swallowed', async () => {
    const database = open(url);
    const outcome = database.transaction(async (session) => {
      await session.query(WRONG, []).catch(() => {});
    });
    await expect(outcome).rejects.toThrow('rolled back');
  });

  it('that stands idle for longer than answers take is ended by the server', async () => {
    const database = open(url, { answerWithinMs: 30_000 });
    const outcome = database.transaction(async (session) => {
      expect(await session.query(IDLE, [])).toEqual([{ limit: '30s' }]);
      await session.script("SET LOCAL idle_in_transaction_session_timeout = '1ms'");
      await untilGone(admin, await pidOf(session));
      await pidOf(session);
    });
    await expect(outcome).rejects.toBeInstanceOf(StoreUnavailable);
  });

  it('that breaks lets those in who wait for its connection', async () => {
    const database = open(line.through(url));
    const waiting: Promise<number>[] = [];
    const outcome = database.transaction(async (session) => {
      waiting.push(pidOf(database), pidOf(database));
      line.cutAll('reset');
      await pidOf(session);
    });
    await expect(outcome).rejects.toBeInstanceOf(StoreUnavailable);
    await Promise.all(waiting);
    expect(database.connections()).toEqual({ total: 1, idle: 1, waiting: 0 });
  });
});

describe('connecting', () => {
  it.each(['reset', 'close'] as const)('%s in the middle of it', async (how) => {
    const database = open(line.through(url));
    for (const when of ['unasked', 'unanswered'] as const) {
      line.watch();
      const happened = line.cutAt({ question: 1, when, how });
      await expect(pidOf(database)).rejects.toBeInstanceOf(StoreUnavailable);
      await happened;
    }
    await pidOf(database);
    expect(database.connections()).toEqual({ total: 1, idle: 1, waiting: 0 });
  });

  it('while the session is set up', async () => {
    const database = open(line.through(url));
    database.setPrepared(true);
    for (const when of ['unasked', 'unanswered'] as const) {
      line.watch();
      const happened = line.cutAt({ question: 2, when, how: 'reset' });
      await expect(pidOf(database)).rejects.toBeInstanceOf(StoreUnavailable);
      await happened;
    }
    await pidOf(database);
    expect(database.connections()).toEqual({ total: 1, idle: 1, waiting: 0 });
  });

  it('a refusal is not about the data: a database that is not there, connections used up', async () => {
    const elsewhere = new URL(url);
    elsewhere.pathname = '/not_there';
    await expect(pidOf(open(elsewhere.href))).rejects.toBeInstanceOf(StoreUnavailable);

    const role = `role_${new URL(url).pathname.slice(1)}`;
    await admin.query(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 1`);
    cleanups.push(() => admin.query(`DROP ROLE ${role}`));
    const limited = new URL(url);
    limited.username = role;
    const database = open(limited.href, { poolSize: 3 });
    await database.transaction(async (session) => {
      await pidOf(session);
      await expect(pidOf(database)).rejects.toBeInstanceOf(StoreUnavailable);
    });
    await pidOf(database);
    expect(database.connections()).toEqual({ total: 1, idle: 1, waiting: 0 });
  });

  it('a server that wants a password of a client that has none', async () => {
    const wantsMd5 = Buffer.from([0x52, 0, 0, 0, 12, 0, 0, 0, 5, 1, 2, 3, 4]);
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.write(wantsMd5));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(async () => server.close());
    const { port } = server.address() as AddressInfo;
    const database = open(`postgresql://nobody@127.0.0.1:${port}/x`, { answerWithinMs: 300 });
    await expect(pidOf(database)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(database.connections()).toEqual({ total: 0, idle: 0, waiting: 0 });
  });
});

it('a caller for whom a connection is free does not wait, and takes it', async () => {
  const database = open(url, { poolSize: 3 });
  await Promise.all([pidOf(database), pidOf(database)]);
  expect(database.connections()).toEqual({ total: 2, idle: 2, waiting: 0 });
  const asked = [pidOf(database)];
  expect(database.connections()).toEqual({ total: 2, idle: 1, waiting: 0 });
  for (let n = 0; n < 4; n++) asked.push(pidOf(database));
  expect(database.connections()).toEqual({ total: 3, idle: 0, waiting: 2 });
  await Promise.all(asked);
  expect(database.connections()).toEqual({ total: 3, idle: 3, waiting: 0 });
});

it('a session whose prepared statement no longer fits the table is replaced', async () => {
  const database = open(url);
  database.setPrepared(true);
  await admin.query('CREATE TABLE wide (a integer)');
  const all: Statement = { name: 'all', text: 'SELECT * FROM wide' };
  await database.query(all, []);
  await admin.query('ALTER TABLE wide ADD COLUMN b integer');
  await expect(database.query(all, [])).rejects.toBeInstanceOf(StoreUnavailable);
  expect(await database.query(all, [])).toEqual([]);
});

it('nothing keeps the process after a close on a line that has gone silent', async () => {
  const sockets = (): number =>
    process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
  const before = sockets();
  const database = open(line.through(url), { poolSize: 3 });
  await Promise.all([pidOf(database), pidOf(database), pidOf(database)]);
  const { total } = database.connections();
  line.silence();
  await database.close();
  // What remains are the two sockets of the line itself for each connection.
  while (sockets() > before + 2 * total) await new Promise(setImmediate);
});

it('a question that a silent line leaves without an answer does not keep the close', async () => {
  const database = open(line.through(url), { answerWithinMs: 600_000 });
  await pidOf(database);
  line.silence();
  const refused = expect(pidOf(database)).rejects.toBeInstanceOf(StoreUnavailable);
  while (database.connections().idle > 0) await new Promise(setImmediate);
  await database.close();
  await refused;
});

it('nothing of the session is changed before it is known to be ours', async () => {
  const database = open(url);
  const jit: Statement = { name: 'jit', text: 'SHOW jit' };
  const statements: Statement = { name: '', text: 'SELECT name FROM pg_prepared_statements' };
  expect(await database.query(jit, [])).toEqual([{ jit: 'on' }]);
  expect(await database.query(statements, [])).toEqual([]);
  database.setPrepared(true);
  expect(await database.query(jit, [])).toEqual([{ jit: 'off' }]);
  expect(await database.query(statements, [])).toEqual([{ name: 'jit' }]);
});

describe('listening', () => {
  const channel = 'driver_test';

  async function listenThrough(): Promise<{
    heard: (message: string) => Promise<void>;
    gap: () => Promise<void>;
    stop: () => Promise<void>;
  }> {
    const messages = new Set<string>();
    let gaps = 0;
    const changes = new EventTarget();
    const change = (): boolean => changes.dispatchEvent(new Event('change'));
    const database = open(line.through(url));
    const stop = await database.listen(
      channel,
      (message) => void (messages.add(message), change()),
      () => void ((gaps += 1), change()),
    );
    cleanups.push(stop);
    const until = async (condition: () => boolean): Promise<void> => {
      while (!condition()) await once(changes, 'change');
    };
    return {
      stop,
      heard: (message) => until(() => messages.has(message)),
      gap: () => until(() => gaps > 0).then(() => void (gaps = 0)),
    };
  }

  const tell = (message: string): Promise<unknown> =>
    admin.query('SELECT pg_notify($1, $2)', [channel, message]);

  it('comes back each time, and says that something may have been missed', async () => {
    const { heard, gap } = await listenThrough();
    await tell('first');
    await heard('first');
    for (const how of ['reset', 'close'] satisfies How[]) {
      line.cutAll(how);
      await gap();
      await tell(how);
      await heard(how);
    }
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND pid <> pg_backend_pid()`,
    );
    await gap();
    await tell('last');
    await heard('last');
  });

  it('comes back when the line is cut again while it comes back', async () => {
    const { heard, gap } = await listenThrough();
    for (const question of [1, 2]) {
      for (const when of ['unasked', 'unanswered'] as const) {
        line.watch();
        const happened = line.cutAt({ question, when, how: 'reset' });
        line.cutAll('close');
        await happened;
        await gap();
      }
    }
    await tell('still here');
    await heard('still here');
    expect(await listening()).toBe(1);
  });

  it('stops at once on a line that has gone silent', async () => {
    const { stop } = await listenThrough();
    line.silence();
    await stop();
  });

  it('that could not begin leaves no connection behind', async () => {
    const database = open(url);
    const nothing = (): void => {};
    const outcome = database.listen('"not a channel', nothing, nothing);
    await expect(outcome).rejects.toBeInstanceOf(StoreUnavailable);
    while ((await listening()) > 0);
  });

  it('ends with the database that it belongs to', async () => {
    const database = open(url);
    const nothing = (): void => {};
    await database.listen(channel, nothing, nothing);
    await database.close();
    while ((await listening()) > 0);
  });

  async function listening(): Promise<number> {
    const { rowCount } = await admin.query(
      `SELECT FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()`,
    );
    return rowCount ?? 0;
  }
});
