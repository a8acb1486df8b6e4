import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startIdentity } from '@millrace/simulator-identity';
import { startSalesforce } from '@millrace/simulator-salesforce';
import pg from 'pg';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startRedis } from '../../../scripts/services.mjs';
import { type TestDatabase, bareDatabase } from '../../../stores/postgres/test/databases.ts';
import { readConfig } from '../config/config.ts';
import { gatherSettings } from '../config/file.ts';
import { readDatabasePlace } from '../config/place.ts';
import { migrateSchema } from '../schema/migrate.ts';
import { examine, node } from './examine.ts';
import type { Finding } from '@millrace/workload-kit';

/** The findings for these settings, by check. */
async function found(env: Record<string, string>): Promise<Record<string, Finding>> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const all: Record<string, Finding> = {};
  const given = {
    MILLRACE_DATA: join(folder, 'data'),
    MILLRACE_DOCUMENTS: 'false',
    PORT: '0',
    ...env,
  };
  for await (const finding of examine(readConfig(given))) all[finding.check] = finding;
  return all;
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return String((server.address() as AddressInfo).port);
}

test('what is there is ok, and nothing needs to be done', async () => {
  const all = await found({});
  expect(Object.values(all).filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
  expect(Object.keys(all)).toEqual([
    'node',
    'port',
    'database',
    'issuer',
    'disk (data)',
    'Marketing Cloud',
    'reports',
    'reports (database)',
  ]);
});

test('an old Node is reported', () => {
  expect(node('20.18.3')).toMatchObject({ verdict: 'missing' });
  expect([node('20.19.0'), node('22.0.0')]).toMatchObject([{ verdict: 'ok' }, { verdict: 'ok' }]);
});

test('a port is ours, or somebody else’s', async () => {
  const other = await listening(createHttpServer((_, response) => response.end('hello')));
  const ours = await listening(
    createHttpServer((_, response) => response.end(JSON.stringify({ status: 'ok' }))),
  );
  expect((await found({ PORT: other }))['port']).toMatchObject({
    verdict: 'missing',
    found: expect.stringContaining(`Port ${other} on 127.0.0.1 is taken`),
  });
  expect((await found({ PORT: ours }))['port']).toMatchObject({ verdict: 'ok' });
});

test('a Millrace whose database has stopped has to be restarted', async () => {
  const stopped = { status: 'stopped', detail: 'The embedded database has stopped.' };
  const ours = await listening(
    createHttpServer((_, response) => response.writeHead(503).end(JSON.stringify(stopped))),
  );
  expect((await found({ PORT: ours }))['port']).toMatchObject({
    verdict: 'missing',
    found: expect.stringContaining('does nothing: The embedded database has stopped.'),
    advice: 'Restart it.',
  });
});

test('folders that the server would refuse are reported', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect((await found({ MILLRACE_DATA: file }))['database']).toMatchObject({
    verdict: 'missing',
    found: expect.stringContaining(`${file} is a file`),
  });
  for (const jobs of [join(folder, 'nope'), file])
    expect((await found({ MILLRACE_JOBS: jobs }))['jobs']).toMatchObject({
      verdict: 'missing',
      found: expect.stringContaining(jobs),
    });
  expect((await found({ MILLRACE_JOBS: folder }))['jobs']).toMatchObject({
    verdict: 'ok',
    found: `0 job files in ${folder}.`,
  });
});

test('a database that does not let us in is reported without its password', async () => {
  const { database } = await found({ DATABASE_URL: 'postgres://ada:hush-hush@127.0.0.1:1/queue' });
  expect(database).toMatchObject({
    verdict: 'missing',
    found: expect.stringContaining('postgres://127.0.0.1:1/queue cannot be used'),
  });
  expect(JSON.stringify(database)).not.toContain('hush');
});

describe('the schema', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await bareDatabase();
    onTestFinished(() => database.drop());
  });
  const schema = async (env: Record<string, string> = {}) =>
    (await found({ DATABASE_URL: database.url, ...env }))['schema'];

  test('is reported before a start, and nothing is set up', async () => {
    for (let times = 0; times < 2; times += 1)
      expect(await schema()).toMatchObject({
        verdict: 'ok',
        found: expect.stringMatching(/^The next start applies \d+ migrations\.$/),
      });
    expect(await schema({ MIGRATE: 'off' })).toMatchObject({
      verdict: 'missing',
      found: expect.stringContaining('MIGRATE is off'),
      advice: expect.stringContaining('millrace migrate'),
    });
  });

  test('is up to date, of a newer Millrace, or too new', async () => {
    const place = readDatabasePlace({ DATABASE_URL: database.url });
    for await (const _ of migrateSchema(place, { mode: 'apply' }));
    expect(await schema({ MIGRATE: 'off' })).toMatchObject({ verdict: 'ok', found: 'Up to date.' });
    const client = new pg.Client(database.url);
    await client.connect();
    const later = 'INSERT INTO millrace.migrations (name, compatible_from) VALUES ($1, $2)';
    await client.query(later, ['900-more.sql', 1]);
    expect(await schema()).toMatchObject({
      verdict: 'ok',
      found: expect.stringContaining('newer Millrace (900-more.sql)'),
    });
    await client.query(later, ['901-less.sql', 901]);
    await client.end();
    expect(await schema()).toMatchObject({
      verdict: 'missing',
      found: expect.stringContaining('(queue: 901-less.sql)'),
    });
  });
});

test('a file with settings is named, and told where others can read its secrets', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'millrace.yaml');
  async function settings(text: string, mode: number): Promise<Finding | undefined> {
    writeFileSync(path, `PORT: 0\nMILLRACE_DOCUMENTS: false\n${text}`);
    chmodSync(path, mode);
    const { environment, file } = gatherSettings({ MILLRACE_DATA: folder }, folder);
    for await (const finding of examine(readConfig(environment, file)))
      if (finding.check === 'settings') return finding;
    return undefined;
  }
  const secret = 'SMTP_URL: smtp://me:hush-hush@mail.example\nMAIL_FROM: mill@example.com\n';
  expect(await settings('', 0o644)).toMatchObject({
    verdict: 'ok',
    found: `From the environment, and from ${path}.`,
  });
  expect(await settings(secret, 0o600)).toMatchObject({ verdict: 'ok' });
  const open = await settings(secret, 0o644);
  expect(open).toMatchObject({ verdict: 'missing', advice: `chmod 600 ${path}` });
  expect(JSON.stringify(open)).not.toContain('hush');
});

test('LibreOffice is looked for where it is said to be', async () => {
  const all = await found({ MILLRACE_DOCUMENTS: 'true', MILLRACE_OFFICE_PATH: '/nowhere' });
  expect(all['LibreOffice']).toMatchObject({
    verdict: 'missing',
    found: expect.stringContaining('/nowhere'),
  });
});

test('what answers like something else is no Redis', async () => {
  const port = await listening(
    createServer((socket) => void socket.on('data', () => socket.end('HTTP/1.1 400\r\n'))),
  );
  const all = await found({ REDIS_URL: `redis://:secret@127.0.0.1:${port}` });
  expect(all['Redis']).toMatchObject({ verdict: 'missing' });
  expect(JSON.stringify(all)).not.toContain('secret');
});

test('a Redis is asked for what it must not do, with the password of the settings', async () => {
  const redis = await startRedis({ settings: { requirepass: 'hush-hush' } });
  onTestFinished(() => redis.remove());
  const { host } = new URL(redis.url);
  const url = `redis://:hush-hush@${host}`;
  expect((await found({ REDIS_URL: redis.url }))['Redis']).toMatchObject({
    verdict: 'missing',
    found: expect.stringContaining('wants a password'),
  });
  const all = await found({ REDIS_URL: url });
  expect(all['Redis']).toMatchObject({
    verdict: 'ok',
    found: expect.stringContaining('no append-only file'),
  });
  const folder = mkdtempSync(join(tmpdir(), 'millrace-doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'password'), 'hush-hush\n');
  const file = { REDIS_URL: redis.url, REDIS_PASSWORD_FILE: join(folder, 'password') };
  expect((await found(file))['Redis']).toMatchObject({ verdict: 'ok' });
  expect((await found({ ...file, REDIS_PASSWORD_FILE: '/nowhere' }))['Redis']).toMatchObject({
    verdict: 'missing',
    found: expect.stringContaining('cannot be read'),
  });

  expect(JSON.stringify(all)).not.toContain('hush');
});

test('a Redis that would throw jobs away is reported', async () => {
  const settings = { maxmemory: '100mb', 'maxmemory-policy': 'allkeys-lru' };
  const redis = await startRedis({ settings });
  onTestFinished(() => redis.remove());
  expect((await found({ REDIS_URL: redis.url }))['Redis']).toMatchObject({
    verdict: 'missing',
    found: expect.stringContaining('noeviction'),
  });
});

test('an issuer has keys, or has not', async () => {
  const identity = await startIdentity({});
  onTestFinished(() => identity.close());
  const env = { ISSUER: identity.issuer, AUDIENCE: identity.audience };
  expect((await found({ ...env, JWKS_URI: identity.jwksUri }))['issuer']).toMatchObject({
    verdict: 'ok',
  });
  const nobody = 'http://127.0.0.1:1/keys';
  expect((await found({ ...env, JWKS_URI: nobody }))['issuer']).toMatchObject({
    verdict: 'missing',
    found: expect.stringContaining(nobody),
  });
});

test('an org that lacks the package says so', async () => {
  const app = { clientId: 'app', secret: 'a-secret' };
  const org = await startSalesforce({ apps: [app] });
  onTestFinished(() => org.close());
  const all = await found({
    MILLRACE_DOCUMENTS: 'true',
    SALESFORCE_LOGIN_URL: org.loginUrl,
    SALESFORCE_CLIENT_ID: app.clientId,
    SALESFORCE_CLIENT_SECRET: app.secret,
  });
  expect(all['org salesforce']).toMatchObject({
    verdict: 'missing',
    advice: expect.stringContaining('millrace salesforce check'),
  });
});
