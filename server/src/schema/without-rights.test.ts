import { createClient } from '@millrace/api';
import { DOCX_TYPE } from '@millrace/documents/contract';
import pg from 'pg';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { docx, p } from '../../../docx/test/builder.ts';
import { type TestDatabase, bareDatabase } from '../../../stores/postgres/test/databases.ts';
import { HELLO, PLAIN, RULES } from '../../test/job-files.ts';
import { BYPASS, addressOf, folder, jobFile, main, useFolder } from '../../test/main.ts';
import { refusedInNode } from '../../test/process.ts';
import { readDatabasePlace } from '../config/place.ts';
import { type MigrateRequest, migrateSchema } from './migrate.ts';

useFolder();

/** The compiled service with MIGRATE=off, as a role that may not change the schema. */

let database: TestDatabase;
let owner: pg.Client;
let role: string;

beforeEach(async () => {
  database = await bareDatabase();
  owner = new pg.Client(database.url);
  await owner.connect();
  role = `role_${new URL(database.url).pathname.slice(1)}`;
  await owner.query(`CREATE ROLE ${role} LOGIN`);
});
afterEach(async () => {
  await owner.query('DROP EVENT TRIGGER IF EXISTS refuse_ddl');
  await owner.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await owner.end();
  await database.drop();
});

async function migrate(request: MigrateRequest = { mode: 'apply' }): Promise<void> {
  const place = readDatabasePlace({ DATABASE_URL: database.url });
  for await (const event of migrateSchema(place, request))
    if (event.type === 'sql') await owner.query(event.sql);
}

function settings(of = database): Record<string, string> {
  const url = Object.assign(new URL(of.url), { username: role }).href;
  return {
    ...BYPASS,
    DATABASE_URL: url,
    MIGRATE: 'off',
    MILLRACE_DOCUMENTS: 'true',
    MILLRACE_OFFICE_PATH: '/nowhere',
  };
}

// Whoever tries in spite of it, with whatever rights, is told.
const NO_DDL = `
CREATE FUNCTION public.refuse_ddl() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'DDL: %', tg_tag; END $$;
CREATE EVENT TRIGGER refuse_ddl ON ddl_command_start EXECUTE FUNCTION public.refuse_ddl()`;

test(
  'does everything: jobs, rules, schedules, documents, lists, audit',
  { timeout: 120_000 },
  async () => {
    await migrate();
    await migrate({ mode: 'grants', role });
    await owner.query(NO_DDL);
    jobFile('hello.ts', HELLO);
    jobFile('plain.js', PLAIN);
    jobFile('rules.ts', RULES);
    const started = main(settings());
    const client = createClient({ baseUrl: await addressOf(started) });
    const { id } = await client.enqueue({ body: { kind: 'hello', data: { name: 'Ada' } } });
    await expect
      .poll(async () => (await client.getJob({ params: { id } })).state, { timeout: 20_000 })
      .toBe('SUCCEEDED');
    const { id: made } = await client.runSchedule({ params: { name: 'nightly' } });
    expect(made).toMatch(/^pg-/);
    await client.addTemplate({
      params: { id: 'letter' },
      upload: { type: DOCX_TYPE, bytes: new Uint8Array(docx(p('Dear {{Name}}'))) },
    });
    const document = await client.generate({
      body: {
        templateId: 'letter',
        data: { Name: 'Ada' },
        outputFormat: 'DOCX',
        outputFileName: 'letter',
      },
    });
    expect(document.file.size).toBeGreaterThan(1_000);
    await client.pauseKind({ params: { kind: 'hello' }, body: {} });
    expect((await client.listAudit()).entries.map(({ action }) => action)).toContain('pauseKind');
    await Promise.all([
      client.listRuns(),
      client.listReportRuns(),
      client.listPipelineRuns(),
      client.overview(),
    ]);
    started.child.kill('SIGTERM');
    expect(await started.ended).toBe(0);
    expect(started.output()).not.toMatch(/permission denied|lacks a right|DDL: /);
  },
);

test('does not start on a schema that lacks something, says what to do, and makes nothing', async () => {
  const bare = await bareDatabase();
  onTestFinished(() => bare.drop());
  await migrate();
  await migrate({ mode: 'grants', role });
  await owner.query(`DELETE FROM millrace.migrations WHERE name = 'documents/001-documents.sql'`);
  const refusals = await refusedInNode(folder, [settings(bare), settings()]);
  expect(refusals).toEqual([
    expect.stringMatching(
      /^The store at \S+ cannot be opened: The schema millrace is older than this version needs: .* MIGRATE is off\. Run "millrace migrate" as the owner of the schema, then start again\.$/,
    ),
    expect.stringContaining('it lacks documents/001-documents.sql, and MIGRATE is off.'),
  ]);
}, 60_000);
