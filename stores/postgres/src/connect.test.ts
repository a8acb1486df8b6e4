import { StoreUnavailable } from '@millrace/engine';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testServer } from '../test/databases.ts';
import { type TlsServer, startTlsServer } from '../test/tls-server.ts';
import type { Credential, Tls } from './connect.ts';
import type { Statement } from './database.ts';
import { type PgDatabase, openPg } from './pg.ts';

const ONE: Statement = { name: '', text: 'SELECT 1 AS one' };

let server: TlsServer;
const opened: PgDatabase[] = [];

beforeAll(async () => {
  server = await startTlsServer();
  await server.setPassword('first');
});
afterAll(() => server.remove());
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
});

function open(
  tls: Tls | undefined,
  credential: Credential = { password: async () => 'first' },
  url = server.url,
): PgDatabase {
  const database = openPg({
    url,
    credential,
    poolSize: 1,
    answerWithinMs: 30_000,
    ...(tls && { tls }),
  });
  opened.push(database);
  return database;
}

function byName(): string {
  const url = new URL(server.url);
  url.hostname = 'localhost';
  return url.href;
}

async function failureOf(database: PgDatabase): Promise<string> {
  const error: unknown = await database.query(ONE, []).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreUnavailable);
  return (error as Error).message;
}

describe('TLS', () => {
  const modes: [Tls['mode'], 'authority' | 'stranger' | null][] = [
    ['require', null],
    ['require', 'authority'],
    ['verify-ca', 'authority'],
    ['verify-full', 'authority'],
  ];
  it.each(modes)('%s with the certificate of %s is let in, encrypted', async (mode, by) => {
    const database = open({ mode, ...(by && { ca: server[by].pem }) });
    await expect(database.query(ONE, [])).resolves.toEqual([{ one: 1 }]);
    expect(await server.sessions()).toEqual([true]);
  });

  it.each(['require', 'verify-ca', 'verify-full'] as const)(
    '%s refuses the certificate of another authority, and says so',
    async (mode) => {
      const database = open({ mode, ca: server.stranger.pem });
      expect(await failureOf(database)).toContain('no trusted authority');
      expect(database.trouble()).toContain('no trusted authority');
    },
  );

  it('verify-full trusts the authorities of Node where none is given', async () => {
    expect(await failureOf(open({ mode: 'verify-full' }))).toContain('no trusted authority');
  });

  it('verify-full refuses the certificate of another host, verify-ca does not ask for it', async () => {
    const ca = server.authority.pem;
    expect(await failureOf(open({ mode: 'verify-full', ca }, undefined, byName()))).toContain(
      'another host',
    );
    const database = open({ mode: 'verify-ca', ca }, undefined, byName());
    await expect(database.query(ONE, [])).resolves.toHaveLength(1);
  });

  it('disable sends nothing encrypted, which this server does not let in', async () => {
    const database = open({ mode: 'disable' });
    expect(await failureOf(database)).toMatch(
      /^The database lets nobody in without TLS: set DATABASE_SSL, best to verify-full \("postgres" at 127\.0\.0\.1:\d+: no pg_hba\.conf entry .*no encryption\)\.$/,
    );
    expect(database.trouble()).toContain('lets nobody in without TLS');
  });

  it('says that the database has none', async () => {
    const database = open({ mode: 'require' }, undefined, testServer());
    expect(await failureOf(database)).toMatch(
      /^The database has no TLS, and DATABASE_SSL or the sslmode of DATABASE_URL asks for it \("postgres" at 127\.0\.0\.1:\d+: The server does not support SSL/,
    );
    expect(database.trouble()).toContain('has no TLS');
  });

  it('is as the option says, whatever the URL says', async () => {
    const url = `${server.url}?sslmode=disable&sslrootcert=/nowhere`;
    const database = open({ mode: 'verify-full', ca: server.authority.pem }, undefined, url);
    await expect(database.query(ONE, [])).resolves.toHaveLength(1);
    expect(await failureOf(open({ mode: 'disable' }, undefined, `${url}&ssl=true`))).toContain(
      'no encryption',
    );
  });
});

describe('the password', () => {
  const tls: Tls = { mode: 'require' };

  it('is asked for at each new connection, so that it may change under a running pool', async () => {
    let password = 'first';
    const database = open(tls, { password: async () => password });
    await database.query(ONE, []);
    await server.setPassword('second');
    // Sessions outlive the password they came in with.
    await expect(database.query(ONE, [])).resolves.toHaveLength(1);
    await server.cut();
    expect(await failureOf(database)).toBeTruthy();
    password = 'second';
    await expect(database.query(ONE, [])).resolves.toHaveLength(1);
    await server.setPassword('first');
  });

  it('that was refused is reported to whoever keeps it', async () => {
    let refusals = 0;
    const database = open(tls, {
      password: async () => (refusals === 0 ? 'stale' : 'first'),
      refused: () => void (refusals += 1),
    });
    const message = await failureOf(database);
    expect(message).toContain('does not accept the password');
    expect(message).not.toContain('stale');
    await expect(database.query(ONE, [])).resolves.toHaveLength(1);
    expect(refusals).toBe(1);
  });

  it('that cannot be had is no fault of the database, and ends nothing', async () => {
    const database = open(tls, { password: () => Promise.reject(new Error('the file is gone')) });
    expect(await failureOf(database)).toMatch(
      /^There is no password for the database \("postgres" at 127\.0\.0\.1:\d+: the file is gone\)/,
    );
    expect(database.trouble()).toBe('There is no password for the database.');
    await expect(
      database.listen(
        'here',
        () => {},
        () => {},
      ),
    ).rejects.toThrow('the file is gone');
  });
});
