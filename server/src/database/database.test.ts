import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type TlsServer, startTlsServer } from '../../../stores/postgres/test/tls-server.ts';
import { type ManagedIdentity, startManagedIdentity } from '../../test/managed-identity.ts';
import { readConfig } from '../config/config.ts';
import { createLog } from '../log/log.ts';
import { StartError } from '../start-error.ts';
import { openStore } from '../store.ts';

/** The settings of an operator, on a Postgres that lets nobody in without TLS and a password. */

let server: TlsServer;
let azure: ManagedIdentity;
let folder: string;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  server = await startTlsServer();
  azure = await startManagedIdentity();
  folder = mkdtempSync(join(tmpdir(), 'millrace-password-'));
});
afterAll(async () => {
  await azure.close();
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function open(env: Record<string, string>) {
  const config = readConfig({ DATABASE_URL: server.url, ...env });
  const log = createLog({ level: 'silent', readable: false, secrets: [] });
  const store = await openStore(config, () => [], log);
  cleanups.push(() => store.close());
  return store;
}

function trusted(): Record<string, string> {
  return { DATABASE_SSL: 'verify-full', DATABASE_SSL_CA: server.authority.file };
}

function passwordFile(password: string): string {
  const file = join(folder, 'password');
  writeFileSync(file, password);
  return file;
}

test('a password file, TLS and a small pool; the password changes under the running store', async () => {
  await server.setPassword('first-of-two');
  const DATABASE_PASSWORD_FILE = passwordFile('first-of-two\n');
  const store = await open({ ...trusted(), DATABASE_PASSWORD_FILE, DATABASE_POOL_SIZE: '2' });
  await Promise.all(Array.from({ length: 10 }, () => store.now()));
  // Two of the pool, and the one that listens.
  expect(await server.sessions()).toEqual([true, true, true]);
  await server.setPassword('second-of-two');
  passwordFile('second-of-two\r\n');
  await server.cut();
  await expect(store.now()).resolves.toBeGreaterThan(0);
  expect(store.database.trouble()).toBeNull();
});

test.each<[string, () => Record<string, string>, RegExp]>([
  [
    'the wrong authority',
    () => ({ DATABASE_SSL: 'verify-full', DATABASE_SSL_CA: server.stranger.file }),
    /certificate of the database is of no trusted authority/,
  ],
  ['no TLS', () => ({ DATABASE_SSL: 'disable' }), /no encryption/],
  [
    'a password file that is not there',
    () => ({ ...trusted(), DATABASE_PASSWORD_FILE: join(folder, 'nowhere') }),
    /nowhere of DATABASE_PASSWORD_FILE cannot be read: ENOENT/,
  ],
  [
    'an empty password file',
    () => ({ ...trusted(), DATABASE_PASSWORD_FILE: passwordFile('\n') }),
    /DATABASE_PASSWORD_FILE is empty/,
  ],
  [
    'a wrong password',
    () => ({ ...trusted(), DATABASE_PASSWORD_FILE: passwordFile('not-the-password') }),
    /does not accept the password/,
  ],
])('with %s it does not start, and says why without the password', async (_, env, why) => {
  await server.setPassword('right');
  const error: unknown = await open({ DATABASE_PASSWORD_FILE: passwordFile('right'), ...env() })
    // For those that write the file: the order of the arguments has written it last.
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StartError);
  expect((error as Error).message).toMatch(why);
  expect((error as Error).message).not.toContain('not-the-password');
});

test('the token of a managed identity is the password; one that has ended is replaced', async () => {
  // As long as those of Entra ID.
  const [first, second] = ['eyJ0eXAi1', 'eyJ0eXAi2'].map((start) => start.padEnd(1_800, 'x'));
  await server.setPassword(first ?? '');
  azure.issue(first ?? '', Date.now() + 60_000);
  const store = await open({
    DATABASE_AUTH: 'azure',
    DATABASE_SSL_CA: server.authority.file,
    IDENTITY_ENDPOINT: azure.endpoint.url,
    IDENTITY_HEADER: azure.endpoint.header,
  });
  expect(new Set(await server.sessions())).toEqual(new Set([true]));
  await server.setPassword(second ?? '');
  azure.issue(second ?? '', Date.now() + 3_600_000);
  await server.cut();
  await expect(store.now()).resolves.toBeGreaterThan(0);
});

test('a token that the database refuses, although it should be good, is replaced at the next try', async () => {
  const hour = Date.now() + 3_600_000;
  await server.setPassword('token-one');
  azure.issue('token-one', hour);
  const store = await open({
    DATABASE_AUTH: 'azure',
    DATABASE_SSL_CA: server.authority.file,
    IDENTITY_ENDPOINT: azure.endpoint.url,
    IDENTITY_HEADER: azure.endpoint.header,
  });
  await server.setPassword('token-two');
  azure.issue('token-two', hour);
  await server.cut();
  await expect(store.now()).rejects.toThrow('does not accept the password');
  await expect(store.now()).resolves.toBeGreaterThan(0);
});
