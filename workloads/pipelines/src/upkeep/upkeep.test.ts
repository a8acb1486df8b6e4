import { type Scope, EVERYTHING } from '@millrace/workload-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, openTestDatabase } from '../../../../stores/postgres/test/stores.ts';
import { type World, openWorld } from '../../test/world.ts';
import { pipelineEvent } from '../contract/runs.ts';
import { START } from '../step/data.ts';
import { pipelineTopic, pipelinesWithin } from '../within.ts';

/** What happens around runs: retention, erasure, schedules, those who watch, and whose they are. */

const OF_ACME: Scope = { tenants: ['acme'], tenant: 'acme', owner: null };
const DAY_MS = 86_400_000;

let database: TestDatabase;
let world: World;
beforeAll(async () => {
  database = await openTestDatabase('postgres');
});
afterAll(() => database.drop());
beforeEach(async () => {
  world = await openWorld(database);
  world.files.set(
    'line',
    'title: Line\nparameters: { who: { type: text, default: nobody } }\nsteps:\n  a: { query: { name: a } }\n  b: { query: { name: b } }\n',
  );
});
afterEach(() => world.close());

test('runs go when their time is over, with the files that nobody else has', async () => {
  world.beside.push({ name: 'x.docx', sha256: 'abc', bytes: Buffer.from('x') });
  const id = await world.submit('line');
  await world.pass(40 * DAY_MS);
  expect(await world.pipelines.sweep.runOnce()).toMatchObject({ runs: 0, files: 0 });
  await world.finish();
  expect(await world.pipelines.sweep.runOnce()).toMatchObject({ runs: 0 });
  await world.pass(31 * DAY_MS);
  expect(await world.pipelines.sweep.runOnce()).toEqual({ runs: 1, files: 1, more: false });
  expect(await world.sight(id)).toBe('gone');
});

test('what is kept about someone is emptied, and a run of theirs that lives is cancelled', async () => {
  world.things.behaviours.set('a', { looks: 9 });
  const own = await world.submit('line', { submitter: 'grace@example.com' });
  const named = await world.submit('line', { parameters: { who: 'Grace@example.com' } });
  const other = await world.submit('line');
  await world.step();
  await world.step();
  await world.step();
  expect(await world.pipelines.erase('grace@example.com')).toEqual({ pipelineRuns: 2 });
  for (const id of [own, named]) {
    const run = await world.pipelines.store.find(id);
    expect(JSON.stringify(run).toLowerCase()).not.toContain('grace');
    expect(run?.state).toBe('CANCELED');
  }
  await world.upkeep();
  await world.finish();
  expect(await world.sight(other)).toBe('SUCCEEDED a=done b=done');
  const left = world.things.all.filter(({ who }) => who.correlationId !== other);
  expect(left.every(({ canceled }) => canceled > 0)).toBe(true);
});

test('a job of a schedule submits one run, however often it is run', async () => {
  const data = { pipeline: 'line', parameters: {}, schedule: 'pipeline:line', as: 'nightly' };
  await world.queue.enqueue({ kind: START, data });
  // After the run was made, and before its jobs: the same job finds the run, and upkeep makes them.
  world.killAt(2, 'after');
  await world.finish();
  await world.upkeep();
  await world.finish();
  const { items } = await world.pipelines.runs.list();
  expect(items.map((run) => [run.submitter, run.schedule, run.roles, run.state])).toEqual([
    ['service:nightly', 'pipeline:line', ['member'], 'SUCCEEDED'],
  ]);
  const gone = { ...data, as: 'nobody' };
  const { id } = await world.queue.enqueue({ kind: START, data: gone });
  await world.finish();
  expect(await world.queue.get(id)).toMatchObject({
    state: 'FAILED',
    error: { code: 'service_missing' },
  });
});

test('whoever watches sees each change, and the end', async () => {
  const id = await world.submit('line');
  const seen: string[] = [];
  const watching = (async () => {
    for await (const { state: now, steps } of world.pipelines.watch(
      id,
      new AbortController().signal,
    ))
      seen.push(`${now} ${steps.map(({ state }) => state).join(' ')}`);
  })();
  await world.finish();
  await watching;
  expect(seen.at(-1)).toBe('SUCCEEDED done done');
  expect(new Set(seen).size).toBeGreaterThan(2);
});

describe('a run', () => {
  const strangers: [string, Scope][] = [
    ['somebody else of the tenant', { ...OF_ACME, owner: 'bob' }],
    ['another tenant', { tenants: ['globex'], tenant: 'globex', owner: null }],
    ['nobody', { tenants: [], tenant: '', owner: null }],
  ];

  test('is its member’s own; those with a role for the tenant see it too', async () => {
    const id = await world.submit('line', { tenant: 'acme' });
    for (const scope of [OF_ACME, { ...OF_ACME, owner: 'ada' }, EVERYTHING]) {
      const { runs } = pipelinesWithin(world.pipelines, scope);
      expect(await runs.get(id)).toMatchObject({ id, submitter: 'ada', tenant: 'acme' });
      expect((await runs.list({})).items.map((run) => run.id)).toEqual([id]);
    }
  });

  test.each(strangers)('does not exist for %s', async (_, scope) => {
    const id = await world.submit('line', { tenant: 'acme' });
    const { runs } = pipelinesWithin(world.pipelines, scope);
    const none = expect.objectContaining({ code: 'pipeline_run_not_found' }) as unknown;
    await expect(runs.get(id)).rejects.toEqual(none);
    await expect(runs.cancel(id)).rejects.toEqual(none);
    await expect(runs.resume(id, { withFile: false })).rejects.toEqual(none);
    const watching = runs.watch(id, new AbortController().signal);
    await expect(watching.next()).rejects.toEqual(none);
    expect((await runs.list({ submitter: 'ada' })).items).toEqual([]);
    expect((await runs.list({})).items).toEqual([]);
    expect(await world.sight(id)).toMatch(/^QUEUED/);
  });

  test('is reported in live events as the contract has it, to those within its scope', async () => {
    const id = await world.submit('line', { tenant: 'acme' });
    const over = await world.submit('line', { tenant: 'acme' });
    await world.pipelines.runs.cancel(over);
    const topic = pipelineTopic(world.pipelines);
    const present = async (scope: Scope) => (await topic.present(scope)).map((each) => each.id);
    expect(await present(EVERYTHING)).toEqual([id]);
    expect(await present(OF_ACME)).toEqual([id]);
    for (const [, scope] of strangers) expect(await present(scope)).toEqual([]);
    const [thing, ...others] = await topic.read([id, 'pipe-999', 'no id']);
    expect(others).toEqual([]);
    expect(thing).toMatchObject({ id, tenant: 'acme', submitter: 'ada' });
    expect(pipelineEvent.parse(thing?.event)).toEqual(thing?.event);
    // What is told to steps may be long, and is in the file.
    expect(JSON.stringify(thing?.event)).not.toContain('"input"');
  });
});

test('the catalogue is listed in pages, with what each takes and whether this service does it', () => {
  world.files.set(
    'other',
    'title: Other\nsteps:\n  a: { query: { name: a }, when: { run.id: x } }\n',
  );
  const { catalogue } = pipelinesWithin(world.pipelines, OF_ACME);
  const first = catalogue.list({ limit: 1 });
  expect(first).toMatchObject({ pipelines: [{ name: 'line' }], next: 'line' });
  expect(catalogue.list({ limit: 1, cursor: 'line' })).toMatchObject({
    pipelines: [{ name: 'other', steps: [{ when: 'run.id is x', available: true }] }],
    next: null,
  });
  expect(() => catalogue.list({ cursor: 'nobody' })).toThrow('cursor');
  expect(catalogue.get('line').parameters).toMatchObject([{ name: 'who', defaultNow: 'nobody' }]);
  expect(() => catalogue.get('nobody')).toThrow('There is no pipeline "nobody"');
});
