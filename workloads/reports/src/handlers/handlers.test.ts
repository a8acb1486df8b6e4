import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Caller } from '@millrace/workload-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SHIFTS, type ServiceWorld, callOf, callerOf, openService } from '../../test/service.ts';
import { contract } from '../contract/index.ts';
import { ReportError, toProblem } from '../errors.ts';
import { placeOf } from '../reports.ts';

const { routes } = contract;
const ADMIN = callerOf('root', { roles: ['admin'] });
const ADA = callerOf('ada', { claims: { county: ['1'] } });

let world: ServiceWorld;
beforeAll(async () => {
  world = await openService({
    'shifts.yaml': SHIFTS,
    'open.yaml': 'title: Open\nsql: SELECT id FROM shifts\nkey: id\npublic: true\n',
    'choosing.yaml': `
title: Choosing
parameters:
  county: { type: whole number, suggest: 'SELECT county AS value, min(name), county FROM names GROUP BY county ORDER BY 2' }
  day: { type: date, suggest: 'SELECT DISTINCT day FROM shifts ORDER BY day;' }
  size: { type: text, suggest: { enum: size } }
  many: { type: whole number, suggest: 'SELECT generate_series(1, 5000), NULL, 1 AS county' }
  gone: { type: text, suggest: 'SELECT x FROM nowhere' }
  free: text
sql: |
  SELECT id, county FROM shifts
   WHERE county = :county AND day = :day AND :size <> :free AND :gone <> '' AND id < :many
key: id
rows:
  - { roles: [admin], see: all }
  - { column: county, claim: county }
`,
    'broken.yaml': 'title: Broken\nsqll: SELECT 1\n',
    'secret.yaml':
      'title: Secret\nsql: SELECT id FROM shifts\nkey: id\npublic: true\nkeepToken: true\n',
  });
  await world.sql(`
    CREATE TABLE shifts (id int PRIMARY KEY, county int NOT NULL, day date NOT NULL, hours numeric);
    CREATE TYPE size AS ENUM ('small', 'large');
    CREATE TABLE names (county int, name text);
    INSERT INTO names VALUES (1, 'Kern'), (2, 'Alpine');
    INSERT INTO shifts SELECT i, 1 + i % 3, date '2026-01-01' + i % 30, i % 8 FROM generate_series(1, 90) i;
    ANALYZE shifts`);
}, 60_000);
afterAll(() => world.close());

async function run(caller: Caller, body: object = {}, name = 'shifts') {
  const answer = await world.routes().startReport(
    callOf(routes.startReport, {
      caller,
      params: { name },
      body: { wait: 60, ...body },
    }),
  );
  return answer.body;
}

async function read(
  caller: Caller,
  id: string,
  headers: object = {},
  server: Pick<ServiceWorld, 'routes'> = world,
) {
  const answer = await server
    .routes()
    .downloadReportFile(callOf(routes.downloadReportFile, { caller, params: { id }, headers }));
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.bytes as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return { ...answer, text: Buffer.concat(chunks).toString() };
}

const byId = (id: string, caller: Caller = ADMIN) => ({ caller, params: { id } });

describe('the catalogue', () => {
  test('has what a form needs, whose rows are shown, and what is wrong with files', async () => {
    const { body } = await world.routes().listReports(callOf(routes.listReports, { caller: ADA }));
    expect(body.reports.map(({ name }) => name)).toEqual(['choosing', 'open', 'secret', 'shifts']);
    const shifts = body.reports[3];
    expect(shifts).toMatchObject({
      title: 'Shifts',
      formats: ['csv', 'jsonl'],
      public: false,
      rowRules: [
        'With the role admin: all rows.',
        'Else, with the claim county: rows whose county is in that claim.',
      ],
      rowsForYou: 'Rows whose county is 1.',
      problems: [],
    });
    expect(shifts?.parameters).toMatchObject([
      { name: 'county', type: 'whole number', required: false, canBeEmpty: true },
      { name: 'from', type: 'date', defaultNow: '2026-01-01', example: '--from 2026-01-31' },
    ]);
    expect(body.troubled).toMatchObject([
      { file: 'broken.yaml', inForce: null, problems: [{ line: 1 }, { line: 1 }, { line: 2 }] },
    ]);
    expect(body.source).toBe('postgres');
    expect(routes.listReports.response.parse(body)).toEqual(body);
  });

  test('comes in pages', async () => {
    const page = async (query: object) =>
      (await world.routes().listReports(callOf(routes.listReports, { query }))).body;
    const first = await page({ limit: 2 });
    expect(first.reports.map(({ name }) => name)).toEqual(['choosing', 'open']);
    const second = await page({ limit: 2, cursor: first.next ?? '' });
    expect([second.reports.map(({ name }) => name), second.next]).toEqual([
      ['secret', 'shifts'],
      null,
    ]);
  });

  test('has values to choose from, for whom a row rule limits those of the same rows alone', async () => {
    const ask = async (caller: Caller, parameter: string) => {
      const { body } = await world
        .routes()
        .suggestReportValues(
          callOf(routes.suggestReportValues, { caller, params: { name: 'choosing', parameter } }),
        );
      return routes.suggestReportValues.response.parse(body);
    };
    const [kern, alpine] = [
      { value: '1', label: 'Kern' },
      { value: '2', label: 'Alpine' },
    ];
    expect(await ask(ADMIN, 'county')).toEqual({ values: [alpine, kern], more: false });
    expect(await ask(ADA, 'county')).toEqual({ values: [kern], more: false });
    expect(await ask(callerOf('eve'), 'county')).toEqual({ values: [], more: false });
    // The SQL gives no column of the rule: whose days these are, nobody knows.
    expect(await ask(ADA, 'day')).toEqual({ values: [], more: false });
    expect((await ask(ADMIN, 'day')).values).toHaveLength(30);
    expect((await ask(ADMIN, 'size')).values.map(({ value }) => value)).toEqual(['small', 'large']);
    const many = await ask(ADA, 'many');
    expect([many.values.length, many.values[0], many.more]).toEqual([
      1_000,
      { value: '1', label: '1' },
      true,
    ]);
    await expect(ask(ADMIN, 'gone')).rejects.toMatchObject({ code: 'suggestions_refused' });
    await expect(ask(ADMIN, 'free')).rejects.toMatchObject({ code: 'report_not_found' });
  });

  test('suggests what was meant, and says where a file is wrong', async () => {
    const get = (name: string) =>
      world.routes().getReport(callOf(routes.getReport, { caller: ADA, params: { name } }));
    expect((await get('shifts')).body).toMatchObject({ name: 'shifts' });
    await expect(get('shfts')).rejects.toThrow('Did you mean "shifts"?');
    await expect(get('broken')).rejects.toThrow('broken.yaml, line 1');
    await expect(get('nope')).rejects.toMatchObject({ code: 'report_not_found' });
  });
});

describe('a run', () => {
  test('goes to its file under the claims of its caller', async () => {
    const made = await run(ADA);
    expect(made).toMatchObject({
      state: 'SUCCEEDED',
      submitter: 'ada',
      parameters: { county: null, from: '2026-01-01' },
      progress: { rows: 30, percent: 100, etaSeconds: null },
      result: { rows: 30, available: true, fileName: 'shifts 2026-01-01.csv', note: null },
      error: null,
    });
    expect(routes.startReport.response.parse(made)).toEqual(made);
    const { text, status, headers } = await read(ADA, made.id);
    expect(status).toBe(200);
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(31);
    expect(new Set(lines.slice(1).map((line) => line.split(',')[1]))).toEqual(new Set(['1']));
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect(made.result?.sha256).toBe(sha256);
    expect(headers).toMatchObject({
      etag: `"${sha256}"`,
      'accept-ranges': 'bytes',
      'content-disposition': expect.stringContaining('shifts 2026-01-01.csv'),
    });
  });

  test('is downloaded in ranges', async () => {
    const made = await run(ADA);
    const whole = await read(ADA, made.id);
    const part = await read(ADA, made.id, { range: 'bytes=10-19' });
    expect(part).toMatchObject({ status: 206, text: whole.text.slice(10, 20) });
    expect(part.headers).toMatchObject({
      'content-range': `bytes 10-19/${whole.text.length}`,
      'content-length': '10',
    });
  });

  test.each([
    [{ parameters: { count: 1 } }, 'invalid_parameters', /count/],
    [{ parameters: { county: 'nineteen' } }, 'invalid_parameters', /county/],
    [{ parameters: { from: '2026-02-30' } }, 'invalid_parameters', /from/],
    [{ format: 'xlsx' }, 'invalid_format', /csv, jsonl/],
    [{ key: 'millrace:x' }, 'invalid_key', /service's own/],
  ])('is refused with %j: %s', async (body, code, words) => {
    await expect(run(ADA, body)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(words),
    });
  });

  test('has each wrong parameter at its place', async () => {
    await expect(run(ADA, { parameters: { hour: 2, day: 1 } })).rejects.toMatchObject({
      issues: expect.arrayContaining([
        expect.objectContaining({ path: 'parameters.day' }),
        expect.objectContaining({ path: 'parameters.hour' }),
      ]),
    });
  });

  test('is refused to whoever would see nothing, before a job is made', async () => {
    await expect(run(callerOf('bob'))).rejects.toMatchObject({ code: 'claim_missing' });
  });

  test('whose webhook would be refused at delivery is refused itself, before a job is made', async () => {
    const before = await listed();
    await expect(run(ADA, { webhook: 'http://127.0.0.1/hook' })).rejects.toMatchObject({
      code: 'invalid_webhook',
    });
    expect(await listed()).toBe(before);

    async function listed(): Promise<number> {
      const { body } = await world.routes().listReportRuns(callOf(routes.listReportRuns, {}));
      return body.runs.length;
    }
  });

  test('is not begun again with the same key, and a member does not get a colleague’s', async () => {
    const first = await run(ADA, { key: 'monthly' });
    expect((await run(ADA, { key: 'monthly' })).id).toBe(first.id);
    const bob = callerOf('bob', { claims: { county: ['2'] } });
    const asked = world.routes({ owner: 'bob' }).startReport(
      callOf(routes.startReport, {
        caller: bob,
        params: { name: 'shifts' },
        body: { key: 'monthly' },
      }),
    );
    await expect(asked).rejects.toMatchObject({ code: 'key_taken' });
  });

  test('is its member’s own, and of no other tenant', async () => {
    const { id } = await run(ADA);
    const get = (scope: object) =>
      world.routes(scope).getReportRun(callOf(routes.getReportRun, byId(id)));
    expect((await get({ owner: 'ada' })).body).toMatchObject({ id });
    for (const scope of [{ owner: 'bob' }, { tenants: ['acme'], tenant: 'acme' }]) {
      await expect(get(scope)).rejects.toMatchObject({ code: 'report_run_not_found' });
      const { listReportRuns } = world.routes(scope);
      expect((await listReportRuns(callOf(routes.listReportRuns, {}))).body.runs).toEqual([]);
    }
  });

  test('gives its file to nobody who may not see its rows, whatever their role', async () => {
    const { id } = await run(ADA);
    const elsewhere = callerOf('olga', { roles: ['operator'], claims: { county: ['2'] } });
    await expect(read(elsewhere, id)).rejects.toMatchObject({ code: 'claim_missing' });
    const remove = world
      .routes()
      .deleteReportFile(callOf(routes.deleteReportFile, byId(id, elsewhere)));
    await expect(remove).rejects.toMatchObject({ code: 'claim_missing' });
    const both = callerOf('olga', { roles: ['operator'], claims: { county: ['1', '2'] } });
    expect((await read(both, id)).status).toBe(200);
    expect((await read(ADMIN, id)).status).toBe(200);
    // Who has lost the claim has lost the rows too.
    await expect(read(callerOf('ada'), id)).rejects.toMatchObject({ code: 'claim_missing' });
  });

  test('of all rows is not for someone who sees some of them', async () => {
    const { id } = await run(ADMIN);
    await expect(read(ADA, id)).rejects.toMatchObject({ code: 'claim_missing' });
  });

  test('tells each step to whoever watches, and ends', async () => {
    const begun = await run(ADA, { wait: 0 });
    const { events } = await world
      .routes()
      .reportRunEvents(callOf(routes.reportRunEvents, byId(begun.id)));
    const seen: string[] = [];
    for await (const event of events ?? []) seen.push(event.run.state);
    expect(seen.at(-1)).toBe('SUCCEEDED');
  });

  test('that failed says why, has no file, and goes on by a retry', async () => {
    await world.sql('ALTER TABLE shifts RENAME TO away');
    const failed = await run(ADMIN);
    expect(failed).toMatchObject({ state: 'FAILED', result: null });
    expect(failed.error).toMatchObject({ code: 'source_refused' });
    await expect(read(ADMIN, failed.id)).rejects.toMatchObject({
      code: 'report_run_not_successful',
    });
    await world.sql('ALTER TABLE away RENAME TO shifts');
    const again = await world
      .routes()
      .retryReportRun(callOf(routes.retryReportRun, byId(failed.id)));
    expect(again.body.state).not.toBe('FAILED');
    const watch = world.reports.watch(failed.id, new AbortController().signal);
    let last = '';
    for await (const { state } of watch) last = state;
    expect(last).toBe('SUCCEEDED');
    expect((await read(ADMIN, failed.id)).status).toBe(200);
  });

  test('loses its file when it is removed, and stays in the history', async () => {
    const { id } = await run(ADA);
    const { deleteReportFile, getReportRun } = world.routes();
    const removed = await deleteReportFile(callOf(routes.deleteReportFile, byId(id)));
    expect(removed.body).toEqual({ removed: id });
    expect((await getReportRun(callOf(routes.getReportRun, byId(id)))).body.result).toMatchObject({
      available: false,
      rows: 30,
    });
    await expect(read(ADA, id)).rejects.toMatchObject({ code: 'report_file_expired' });
    const twice = deleteReportFile(callOf(routes.deleteReportFile, byId(id)));
    await expect(twice).rejects.toMatchObject({ code: 'report_file_expired' });
  });

  test('has a file that every server of the queue gives out', async () => {
    const { id } = await run(ADA);
    const other = await world.replica();
    try {
      const seen = await other.routes().getReportRun(callOf(routes.getReportRun, byId(id)));
      expect(seen.body.result).toMatchObject({ available: true });
      const { text } = await read(ADA, id);
      expect((await read(ADA, id, {}, other)).text).toBe(text);
    } finally {
      await other.close();
    }
    expect(world.warnings).toEqual([]);
  });

  test('whose file is gone is refused with a status, not cut', async () => {
    const { id } = await run(ADA);
    const place = placeOf((await world.reports.runs.find(id))?.file);
    if (place !== null) await world.reports.outputs.remove(place);
    const error = await read(ADA, id).catch((thrown: unknown) => thrown);
    expect(toProblem(error)).toMatchObject({ code: 'report_file_lost' });
  });

  test('keeps its definition when the file changes', async () => {
    const { id } = await run(ADA);
    const before = (await world.reports.runs.find(id))?.digest ?? '';
    writeFileSync(
      join(world.folder, 'reports', 'shifts.yaml'),
      SHIFTS.replace('title: Shifts', 'title: All shifts'),
    );
    await world.reports.catalogue.load();
    expect((await world.reports.definition('shifts', before))?.value.title).toBe('Shifts');
    const again = await run(ADA);
    expect((await world.reports.runs.find(again.id))?.title).toBe('All shifts');
  });
});

test('a report that keeps tokens is refused where there is no key for them', async () => {
  await expect(run(ADA, {}, 'secret')).rejects.toBeInstanceOf(ReportError);
  await expect(run(ADA, {}, 'secret')).rejects.toMatchObject({ code: 'token_key_missing' });
});

test('there is no sample where the source is somebody’s own', async () => {
  const { getReportSample, fillReportSample } = world.routes();
  await expect(getReportSample(callOf(routes.getReportSample, {}))).rejects.toMatchObject({
    code: 'sample_not_embedded',
  });
  const fill = fillReportSample(callOf(routes.fillReportSample, { body: { rows: 10 } }));
  await expect(fill).rejects.toMatchObject({ code: 'sample_not_embedded' });
});
