import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPostgres } from '../../../../scripts/services.mjs';
import { startTlsServer } from '../../../../stores/postgres/test/tls-server.ts';
import {
  type TestPostgres,
  collect,
  openTestPostgres,
  reading,
  refused,
  untilNoSessions,
} from '../../test/sources.ts';
import { type SqlSource, SourceUnavailable, openPostgresSource } from '../index.ts';

const COMPUTES = 'SELECT count(*) FROM pg_class a, pg_class b, pg_class c, pg_class d';
const cleanups: (() => Promise<unknown>)[] = [];

let opened: TestPostgres;
beforeAll(async () => {
  opened = await openTestPostgres({ volatileFunctions: ['log_reading', 'next_number', 'quits'] });
  await opened.script(`
    CREATE TABLE hours AS SELECT g AS id FROM generate_series(1, 1000) g;
    CREATE SEQUENCE numbers;
    CREATE FUNCTION log_reading() RETURNS int LANGUAGE sql AS 'INSERT INTO hours VALUES (0) RETURNING id';
    CREATE FUNCTION next_number() RETURNS bigint LANGUAGE sql AS 'SELECT nextval(''numbers'')';
    CREATE PROCEDURE commits() LANGUAGE plpgsql AS 'BEGIN COMMIT; END';
    CREATE FUNCTION quits() RETURNS int LANGUAGE plpgsql AS 'BEGIN CALL commits(); RETURN 1; END';
    CREATE FUNCTION unmarked() RETURNS int LANGUAGE sql AS 'SELECT 1';
    CREATE SCHEMA hidden;
    CREATE FUNCTION hidden.upper(text) RETURNS text LANGUAGE sql AS 'SELECT $1';
    CREATE EXTENSION IF NOT EXISTS dblink`);
});
afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
  await opened.drop();
});

/** A role of the server; every database has it until the end. */
async function role(name: string, options: string): Promise<string> {
  const unique = `${name}_${opened.url.split('_').at(-1)}`;
  await opened.script(`CREATE ROLE ${unique} LOGIN ${options}`);
  cleanups.push(() => opened.script(`DROP OWNED BY ${unique}; DROP ROLE ${unique}`));
  return unique;
}

function as(
  user: string,
  options: Partial<Parameters<typeof openPostgresSource>[0]> = {},
): SqlSource {
  const url = new URL(opened.url);
  url.username = user;
  const source = openPostgresSource({ connection: { connectionString: url.href }, ...options });
  cleanups.push(() => source.close());
  return source;
}

describe('a read-only transaction', () => {
  test.each([
    ['log_reading()', '25006'],
    ['next_number()', '25006'],
    ['quits()', '2D000'],
  ])('holds against what is behind %s, though reports may call it', async (call, code) => {
    const thrown = await reading(opened.source, ({ rows }) => refused(rows(`SELECT ${call}`)));
    expect(thrown).toMatchObject({ code, retryable: false });
    expect((await opened.admin.query('SELECT FROM hours')).rowCount).toBe(1_000);
  });

  test.each([
    ["SELECT * FROM dblink('dbname=postgres', 'SELECT 1') AS t (a int)", 'dblink'],
    ['SELECT unmarked()', 'unmarked'],
    ["SELECT hidden.upper('a')", 'upper'],
  ])('%s is refused for what it calls', async (sql, name) => {
    const thrown = await reading(opened.source, ({ describe: check }) => refused(check(sql)));
    expect(thrown).toMatchObject({ code: 'bad_sql', position: sql.indexOf(`${name}(`) });
    expect(thrown.message).toContain('declare it STABLE');
  });

  test('a function of another schema is not the one that is meant', async () => {
    await reading(opened.source, async ({ rows }) => {
      expect(await rows("SELECT upper('a')")).toEqual([['A']]);
    });
  });

  test('sees one state of the database from its beginning to its end', async () => {
    await reading(opened.source, async ({ rows }) => {
      await opened.script('CREATE TABLE later (); INSERT INTO hours VALUES (-1)');
      expect(await rows('SELECT count(*) FROM hours')).toEqual([['1000']]);
      await opened.script('DELETE FROM hours WHERE id = -1');
    });
  });
});

test('what the role has as its defaults changes nothing', async () => {
  const odd = await role('odd', '');
  for (const setting of [
    "datestyle = 'SQL, DMY'",
    "timezone = 'Asia/Tokyo'",
    "intervalstyle = 'iso_8601'",
    'extra_float_digits = -5',
    "bytea_output = 'escape'",
    'standard_conforming_strings = off',
    'default_transaction_read_only = off',
  ])
    await opened.script(`ALTER ROLE ${odd} SET ${setting}`);
  await reading(as(odd), async ({ rows }) => {
    const sql = String.raw`SELECT '2026-02-01 09:00+01'::timestamptz, '26/02/01'::date, interval '2 hours',
      pi(), '\x0a'::bytea, 'a\b'`;
    expect(await rows(sql)).toEqual([
      ['2026-02-01 08:00:00+00', '2026-02-01', '02:00:00', '3.141592653589793', '\\x0a', 'a\\b'],
    ]);
  });
});

describe('says what is wrong', () => {
  test('a right is missing', async () => {
    const poor = as(await role('poor', ''));
    const thrown = await reading(poor, ({ rows }) => refused(rows('SELECT * FROM hours')));
    expect(thrown).toMatchObject({ code: '42501', retryable: false });
    expect(thrown.message).toContain('GRANT');
  });

  test('no more connections', async () => {
    const narrow = as(await role('narrow', 'CONNECTION LIMIT 1'));
    await reading(narrow, async () => {
      const thrown = await refused(narrow.check());
      expect(thrown).toMatchObject({ code: '53300', retryable: true });
      expect(thrown).toBeInstanceOf(SourceUnavailable);
    });
  });

  test('no such role, no such database', async () => {
    let refusals = 0;
    const nobody = as('nobody_at_all', { onRefused: () => (refusals += 1) });
    expect(await refused(nobody.check())).toMatchObject({ code: '28000', retryable: true });
    expect(refusals).toBe(1);
    const url = new URL(opened.url);
    url.pathname = '/nowhere';
    const source = openPostgresSource({ connection: { connectionString: url.href } });
    expect(await refused(source.check())).toMatchObject({ code: '3D000', retryable: true });
  });

  test('its session is ended by an operator', async () => {
    await reading(opened.source, async ({ copy }) => {
      const batches = refused(collect(copy(COMPUTES, { bytes: 1, rows: 1 })));
      const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND query LIKE 'COPY%'`;
      while ((await opened.admin.query(end)).rowCount === 0);
      expect(await batches).toMatchObject({ code: '57P01', retryable: true });
    });
    await untilNoSessions(opened);
  });

  test('its statement is cancelled by an operator', async () => {
    await reading(opened.source, async ({ copy }) => {
      const batches = refused(collect(copy(COMPUTES, { bytes: 1, rows: 1 })));
      const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
                       WHERE datname = current_database() AND query LIKE 'COPY%'`;
      while ((await opened.admin.query(cancel)).rowCount === 0);
      expect(await batches).toMatchObject({ code: '57014', retryable: true });
    });
  });
});

describe('a server that restarts', () => {
  test.each(['fast', 'immediate'] as const)('%s', async (mode) => {
    const server = await startPostgres({ settings: { fsync: 'off' } });
    const source = openPostgresSource({ connection: { connectionString: server.url } });
    try {
      await reading(source, async ({ copy }) => {
        const batches = copy('SELECT a.oid FROM pg_class a, pg_class b, pg_class c', {
          bytes: 10_000,
          rows: 1,
        });
        const failure = refused(
          (async () => {
            let stopping: Promise<void> | null = null;
            for await (const batch of batches) if (batch.rows > 0) stopping ??= server.stop(mode);
          })(),
        );
        const thrown = await failure;
        expect(thrown).toBeInstanceOf(SourceUnavailable);
        expect(thrown.retryable).toBe(true);
      });
      expect(await refused(source.check())).toMatchObject({ retryable: true });
      await server.start();
      await source.check();
    } finally {
      await source.close();
      await server.remove();
    }
  });
});

test('with TLS and a password that is asked for each time, cancelling too', async () => {
  const server = await startTlsServer();
  cleanups.push(server.remove);
  let password = 'first';
  await server.setPassword(password);
  const source = openPostgresSource({
    connection: {
      connectionString: server.url,
      ssl: { ca: server.authority.pem },
      password: () => Promise.resolve(password),
    },
  });
  cleanups.push(() => source.close());
  await source.check();
  password = 'second';
  await server.setPassword(password);
  const control = new AbortController();
  await reading(
    source,
    async ({ rows, describe: check }) => {
      expect(await server.sessions()).toEqual([true]);
      await check(COMPUTES);
      const answer = refused(rows(COMPUTES));
      setImmediate(() => control.abort());
      expect(await answer).toMatchObject({ code: 'aborted' });
    },
    { signal: control.signal },
  );
  while ((await server.sessions()).length > 0);
  password = 'wrong';
  expect(await refused(source.check())).toMatchObject({ code: '28P01', retryable: true });
  const stranger = openPostgresSource({
    connection: { connectionString: server.url, ssl: { ca: server.stranger.pem }, password: 'x' },
  });
  const thrown = await refused(stranger.check());
  expect(thrown.message).toContain('certificate');
  expect(thrown.retryable).toBe(true);
});

test('a server that is not there', async () => {
  const url = new URL(opened.url);
  url.port = '1';
  const source = openPostgresSource({ connection: { connectionString: url.href } });
  const thrown = await refused(source.check());
  expect(thrown).toMatchObject({ code: 'connection_lost', retryable: true });
  expect(thrown.message).toContain('ECONNREFUSED');
});
