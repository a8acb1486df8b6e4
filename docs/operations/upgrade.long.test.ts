import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClaimedJob } from '@millrace/engine';
import { type PostgresStore, openPgliteStore, openPostgresStore } from '@millrace/store-postgres';
import { newJob } from '@millrace/store-contract';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { need } from '../../scripts/need.mjs';
import { findPostgres } from '../../scripts/services.mjs';
import { type TestDatabase, bareDatabase } from '../../stores/postgres/test/databases.ts';
import { type Section, sectionsOf } from '../test/markdown.ts';
import { root } from '../test/tree.ts';

// Every command of the page, in its order, with the real pg_dump, pg_restore and psql, on a Postgres and on an embedded database.

await need('build');

const sections = sectionsOf(await readFile(join(import.meta.dirname, 'upgrade.md'), 'utf8'));
const APP_ROLE = `app_${process.pid}`;

let folder: string;
let served: TestDatabase;
let restored: TestDatabase;
let moved: TestDatabase;
let admin: pg.Client;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-upgrade-'));
  cleanups.push(() => rm(folder, { recursive: true }));
  [served, restored, moved] = [await database(), await database(), await database()];
  admin = new pg.Client(served.url);
  await admin.connect();
  await admin.query(`CREATE ROLE ${APP_ROLE} LOGIN`);
  cleanups.push(async () => {
    await admin.query(`DROP OWNED BY ${APP_ROLE}; DROP ROLE ${APP_ROLE}`);
    await admin.end();
  });
}, 120_000);
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function database(): Promise<TestDatabase> {
  const made = await bareDatabase();
  cleanups.push(() => made.drop());
  return made;
}

interface Ran {
  readonly code: number;
  readonly said: string;
}

function shell(script: string, cwd: string, env: Record<string, string>): Promise<Ran> {
  const path = [join(root, 'node_modules/.bin'), findPostgres(), process.env['PATH']].join(':');
  return new Promise((resolve) => {
    const options = {
      cwd,
      env: {
        PATH: path,
        HOME: cwd,
        TMPDIR: tmpdir(),
        XDG_STATE_HOME: join(cwd, 'state'),
        ...env,
      },
    };
    execFile('bash', ['--norc', '-euo', 'pipefail', '-c', script], options, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: out + err }),
    );
  });
}

/** The commands of a section, as they stand there. */
async function follow(title: string, env: Record<string, string>): Promise<string> {
  const section = sections.find((each) => each.title === title);
  if (section === undefined) throw new Error(`There is no section "${title}".`);
  const { blocks }: Section = section;
  let all = '';
  for (const [index, { language, notes, text }] of blocks.entries()) {
    if (language !== 'sh') continue;
    const { code, said } = await shell(text, folder, env);
    all += said;
    expect(code, `${text}\n${said}`).toBe(Number(notes['exit'] ?? 0));
    const shown = blocks[index + 1];
    if (shown?.language === '') expect(said).toContain(shown.text);
  }
  return all;
}

async function open(url: string, options: { migrate?: boolean } = {}): Promise<PostgresStore> {
  const store = await openPostgresStore({ url, ...options });
  cleanups.push(() => store.close());
  return store;
}

function claim(store: PostgresStore, kind: string, leaseMs: number, alone = false) {
  const wants = [{ kind, limit: 1 }];
  return store.claim({ worker: 'w', claim: (claims += 1), wants, limit: 1, leaseMs, alone });
}
let claims = 0;

describe.sequential('the page', () => {
  it('has its commands in sections that are followed here', () => {
    const withCommands = sections.filter(({ blocks }) =>
      blocks.some(({ language }) => language === 'sh'),
    );
    expect(withCommands.map(({ title }) => title)).toEqual([
      'Upgrade',
      'A role that cannot change the schema',
      'Roll back',
      'Back up',
      'Restore',
      'From the embedded database to Postgres',
    ]);
  });

  it('upgrades, and gives a role what it needs', { timeout: 60_000 }, async () => {
    const env = { DATABASE_URL: served.url, APP_ROLE };
    await follow('Upgrade', env);
    // What was printed is what was done.
    const printed = await readFile(join(folder, 'upgrade.sql'), 'utf8');
    const other = await database();
    expect(
      await shell('psql --quiet --set ON_ERROR_STOP=1 "$URL" < upgrade.sql', folder, {
        URL: other.url,
      }),
    ).toEqual({ code: 0, said: '' });
    expect(printed).toContain('INSERT INTO millrace.migrations');
    await follow('A role that cannot change the schema', env);
    const asRole = Object.assign(new URL(served.url), { username: APP_ROLE }).href;
    const store = await open(asRole, { migrate: false });
    await store.enqueue({ jobs: [newJob({})] });
    await expect(store.database.script('DROP TABLE millrace.jobs')).rejects.toThrow();
  });

  it('says whether one can go back', { timeout: 60_000 }, async () => {
    const env = { DATABASE_URL: served.url };
    const later = (from: number) =>
      admin.query(
        `INSERT INTO millrace.migrations (name, compatible_from) VALUES ('900-later.sql', $1)
         ON CONFLICT (name) DO UPDATE SET compatible_from = excluded.compatible_from`,
        [from],
      );
    await later(1);
    expect(await follow('Roll back', env)).toMatch(
      /^queue +newer +900-later\.sql +900-later\.sql$/m,
    );
    await later(900);
    expect(await shell('millrace migrate --check', folder, env)).toMatchObject({
      code: 4,
      said: expect.stringContaining('set up by a newer Millrace (queue: 900-later.sql)'),
    });
    await admin.query(`DELETE FROM millrace.migrations WHERE name = '900-later.sql'`);
  });

  it(
    'backs up and restores, and means what it says of the time between',
    { timeout: 120_000 },
    async () => {
      await mkdir(join(folder, '.millrace'));
      await writeFile(join(folder, '.millrace/file'), 'kept');
      const before = await open(served.url);
      const [ran] = await before.enqueue({
        jobs: [newJob({ kind: 'ran' }), newJob({ kind: 'next' })],
      });
      const [held] = (await claim(before, 'ran', 1_000)).jobs;
      if (held === undefined) throw new Error('Nothing was claimed.');
      await follow('Back up', { DATABASE_URL: served.url });
      expect(await readFile(join(folder, 'millrace-backup/file'), 'utf8')).toBe('kept');

      // After the backup: one job ends, one is claimed, one is made.
      const outcome = { move: 'succeed', result: '1', purgePayload: false, effects: [] } as const;
      await before.settle({ settlements: [{ job: held, outcome, children: [] }] });
      const [late] = (await claim(before, 'next', 60_000)).jobs;
      const [gone] = await before.enqueue({ jobs: [newJob({ kind: 'gone' })] });

      await follow('Restore', { DATABASE_URL: served.url, NEW_DATABASE_URL: restored.url });
      const after = await open(restored.url);
      expect(await after.get({ id: gone?.id ?? '' })).toBeNull();
      const ranAgain = await after.get({ id: ran?.id ?? '' });
      expect(ranAgain).not.toMatchObject({ state: 'SUCCEEDED' });
      const [next] = (await claim(after, 'next', 60_000)).jobs;
      expect(next?.epoch).toBeGreaterThan(late?.epoch ?? Infinity);
      // Its lease is over once its second has passed, and whoever has it then has a higher epoch.
      let taken: ClaimedJob | undefined;
      await expect
        .poll(
          async () => {
            await claim(after, 'ran', 60_000);
            [taken] = (await claim(after, 'ran', 60_000, true)).jobs;
            return taken?.id;
          },
          { timeout: 10_000 },
        )
        .toBe(ran?.id);
      expect(taken?.epoch).toBeGreaterThan(late?.epoch ?? Infinity);
      // The worker from before the restore still thinks that it has the job.
      expect(await after.settle({ settlements: [{ job: held, outcome, children: [] }] })).toEqual([
        'stale',
      ]);
    },
  );

  it('moves an embedded database', { timeout: 120_000 }, async () => {
    await rm(join(folder, '.millrace'), { recursive: true });
    const env = { NEW_DATABASE_URL: moved.url };
    expect((await shell('millrace migrate', folder, env)).code).toBe(0);
    const embedded = await openPgliteStore({ source: { folder: join(folder, '.millrace/db') } });
    const [job] = await embedded.enqueue({ jobs: [newJob({ payload: '{"a": "ä"}' })] });
    await embedded.close();
    await mkdir(join(folder, '.millrace/reports'));
    await follow('From the embedded database to Postgres', env);
    const store = await open(moved.url);
    expect(await store.get({ id: job?.id ?? '' })).toMatchObject({ payload: '{"a": "ä"}' });
  });
});
