import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startIdentity } from '@millrace/simulator-identity';
import { type MarketingCloud, startMarketingCloud } from '@millrace/simulator-marketing-cloud';
import pg from 'pg';
import { need } from '../../scripts/need.mjs';
import { findPostgres, startRedis } from '../../scripts/services.mjs';
import { startMain } from '../../server/test/process.ts';
import { testDatabases } from '../../stores/postgres/test/databases.ts';
import { APP, type DocumentedOrg, USERNAME, startDocumentedOrg } from './org.ts';

await need('build');
await need('redis programs');
await need('office');

const root = join(import.meta.dirname, '../..');

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built server as in production: on Postgres and Redis, with an issuer, an org and a Marketing Cloud. And a shell for whoever operates it. */
export interface Service {
  readonly url: string;
  readonly org: DocumentedOrg['salesforce'];
  /** Queries give no rows. */
  readonly cloud: MarketingCloud;
  /** Runs in bash, and stops at the first command that fails. */
  shell(script: string, env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** What the server has logged. */
  log(): string;
  /** Takes the database of the reports away. */
  loseReports(): Promise<void>;
  /** Takes the database away. */
  loseStore(): Promise<void>;
  /** Takes away the Redis in which the jobs of queries are. */
  loseRedis(): Promise<void>;
  /** Takes the org away. */
  loseOrg(): Promise<void>;
  close(): Promise<void>;
}

/** Succeeds, fails for good, fails for now or goes on until it is stopped: as its data says. */
const JOBS = `
import { JobFailure, defineJob, defineSchedule, done } from '@millrace/engine';
import { z } from 'zod';

export const letter = defineJob({
  kind: 'letter',
  input: z.object({ end: z.enum(['well', 'badly', 'later', 'never']).default('well') }),
  public: true,
  retry: { backoff: 'steps', delays: ['1h'] },
  async run({ data }, { signal }) {
    if (data.end === 'well') return done();
    if (data.end !== 'never')
      throw new JobFailure('upstream_away', 'The printer is away.', { retryable: data.end === 'later' });
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  },
});

export const yearly = defineSchedule({ name: 'yearly', cron: '0 0 1 1 *', timeZone: 'UTC', job: { kind: 'letter', data: {} } });
`;

/** One that does well, one whose table somebody has locked, and one whose table is not there. */
const REPORTS = {
  'well.yaml': 'title: Well\nsql: SELECT 1 AS id\nkey: id\npublic: true\n',
  'locked.yaml': 'title: Locked\nsql: SELECT id FROM locked\nkey: id\npublic: true\n',
  'missing.yaml': 'title: Missing\nsql: SELECT id FROM missing\nkey: id\npublic: true\n',
};

export async function startService(): Promise<Service> {
  const cleanups: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  };
  try {
    return { ...(await start(cleanups)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(cleanups: (() => Promise<unknown>)[]): Promise<Omit<Service, 'close'>> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-operations-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'jobs'));
  await writeFile(join(folder, 'jobs/letter.ts'), JOBS);
  const databases = await testDatabases();
  cleanups.push(() => databases.remove());
  const database = await databases.create();
  let lost: Promise<void> | null = null;
  const loseStore = () => (lost ??= database.drop());
  cleanups.push(loseStore);
  await mkdir(join(folder, 'reports'));
  for (const [name, text] of Object.entries(REPORTS))
    await writeFile(join(folder, 'reports', name), text);
  const source = await databases.create();
  const lock = new pg.Client(source.url);
  // The database is dropped under it.
  lock.on('error', () => {});
  await lock.connect();
  await lock.query('CREATE TABLE locked (id int PRIMARY KEY)');
  await lock.query('BEGIN; LOCK TABLE locked');
  let gone: Promise<void> | null = null;
  const loseReports = () => (gone ??= lock.end().then(() => source.drop()));
  cleanups.push(loseReports);
  const redis = await startRedis();
  cleanups.push(() => redis.remove());
  const client = { id: 'operator', secret: 'a-secret-of-this-test', roles: ['operator'] };
  const issuer = await startIdentity({ clients: [client] });
  cleanups.push(() => issuer.close());
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const keyFile = join(folder, 'salesforce.key');
  await writeFile(keyFile, privateKey, { mode: 0o600 });
  const org = await startDocumentedOrg(folder, { apps: [{ ...APP, certificate: publicKey }] });
  let left: Promise<void> | null = null;
  const loseOrg = () => (left ??= org.salesforce.close());
  cleanups.push(loseOrg);
  const cloud = await startMarketingCloud({
    sample: false,
    runSql: async ({ target }) => ({ columns: target.map(({ name }) => name), rows: [] }),
  });
  cleanups.push(() => cloud.close());
  const salesforce = {
    SALESFORCE_LOGIN_URL: org.salesforce.loginUrl,
    SALESFORCE_CLIENT_ID: APP.clientId,
    SALESFORCE_USERNAME: USERNAME,
    SALESFORCE_PRIVATE_KEY: keyFile,
  };
  const server = startMain(
    {
      PORT: '0',
      NODE_ENV: 'production',
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      REPORTS_DATABASE_URL: source.url,
      ISSUER: issuer.issuer,
      AUDIENCE: issuer.audience,
      JWKS_URI: issuer.jwksUri,
      CONVERSION_MAX_CONCURRENT: '1',
      POLLER_IDLE_INTERVAL_MS: '500',
      MCE_AUTH_URL: cloud.origin,
      MCE_CLIENT_ID: 'millrace',
      MCE_CLIENT_SECRET: 'secret',
      MCE_MIDS: '100001',
      SHELL_QUERY_INITIAL_DELAY: '20ms',
      SHELL_QUERY_ROWSET_READY_INITIAL_DELAY: '10ms',
      SHELL_QUERY_ROWSET_READY_MAX_DELAY: '10ms',
      ...salesforce,
    },
    folder,
  );
  cleanups.push(async () => {
    // What still runs would be waited for.
    server.child.kill('SIGKILL');
    await server.ended;
  });
  const [, url = ''] = await server.says(/"address":"([^"]+)"/);
  const environment = {
    PATH: [org.bin, join(root, 'node_modules/.bin'), findPostgres(), process.env['PATH']].join(':'),
    ...org.env,
    ...salesforce,
    HOME: folder,
    TMPDIR: tmpdir(),
    XDG_STATE_HOME: join(folder, 'state'),
    MILLRACE_URL: url,
    MILLRACE_CLIENT_ID: client.id,
    MILLRACE_CLIENT_SECRET: client.secret,
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    JWKS_URI: issuer.jwksUri,
  };
  return {
    url,
    org: org.salesforce,
    cloud,
    log: server.output,
    loseReports,
    loseStore,
    async loseRedis() {
      await redis.stop('immediate');
    },
    loseOrg,
    shell: (script, env = {}) =>
      new Promise((resolve) => {
        const options = { cwd: folder, env: { ...environment, ...env } };
        execFile(
          'bash',
          ['--norc', '-euo', 'pipefail', '-c', script],
          options,
          (error, stdout, stderr) =>
            resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
        );
      }),
  };
}
