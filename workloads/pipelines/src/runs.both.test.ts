import { EVERYTHING, JobFailure } from '@millrace/engine';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../stores/postgres/test/stores.ts';
import { type World, openWorld } from '../test/world.ts';
import { pipelinesWithin } from './within.ts';

/** Steps that do what their names say: the type makes no difference here. */
const line = (...names: string[]): string =>
  ['title: Line', 'steps:', ...names.map((name) => `  ${name}: { query: { name: ${name} } }`)].join(
    '\n',
  );

const DIAMOND = `
title: Diamond
steps:
  a: { query: { name: a } }
  b: { query: { name: b }, after: a }
  c: { query: { name: c }, after: a }
  d: { query: { name: d }, after: [b, c] }
`;

const refused = (code: string) => expect.objectContaining({ code }) as unknown;

describe.each(DATABASES)('runs of pipelines on %s', (which) => {
  let database: TestDatabase;
  let world: World;
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    world = await openWorld(database);
    world.files.set('line', line('a', 'b', 'c'));
    world.files.set('diamond', DIAMOND);
  });
  afterEach(() => world.close());

  const step = async (id: string, name: string) =>
    (await world.pipelines.store.find(id))?.steps.find((each) => each.step === name);
  const BROKEN = { code: 'broken', message: 'It broke.' };
  /** The first of these that are begun fail, and stay so. */
  const fail = (name: string, times = Infinity) =>
    world.things.behaviours.set(name, {
      fails: (thing) => (world.things.of(name).indexOf(thing) < times ? BROKEN : null),
    });

  describe('a run', () => {
    test('goes from step to step; what each has begun is looked at until it is over', async () => {
      world.things.behaviours.set('a', { looks: 3, output: { rows: 5 } });
      const id = await world.submit('line');
      expect(await world.sight(id)).toBe('QUEUED a=waiting b=waiting c=waiting');
      await world.step();
      expect(await world.sight(id)).toBe('PROCESSING a=running b=waiting c=waiting');
      expect(await step(id, 'a')).toMatchObject({
        startedId: 'query-1',
        progress: { done: 1, total: 3 },
        output: null,
      });
      await world.finish();
      expect(await world.sight(id)).toBe('SUCCEEDED a=done b=done c=done');
      expect(await step(id, 'a')).toMatchObject({ output: { rows: 5 }, error: null });
      expect(
        world.things.all.map(({ key, who }) => [key, who.correlationId, who.submitter]),
      ).toEqual(['a', 'b', 'c'].map((name) => [`millrace:${id}/${name}/1`, id, 'ada']));
      const { jobs } = await world.queue.list({ filter: { correlationId: id }, limit: 50 });
      expect(jobs.map(({ kind, state }) => [kind, state])).toEqual(
        Array.from({ length: 3 }, () => ['pipeline.step', 'SUCCEEDED']),
      );
      expect(world.announced).toContain(`pipeline ${id}`);
      expect(world.told).toContain('pipeline_runs_total 1 SUCCEEDED');
    });

    test('branches run side by side, and what joins them runs once, after both', async () => {
      const id = await world.submit('diamond');
      await world.finish();
      expect(await world.sight(id)).toBe('SUCCEEDED a=done b=done c=done d=done');
      expect(world.things.all).toHaveLength(4);
    });

    test('branches that end in one and the same write make one join', async () => {
      const id = await world.submit('diamond');
      await world.step();
      while ((await world.together()) > 0);
      expect(await world.sight(id)).toBe('SUCCEEDED a=done b=done c=done d=done');
      expect(world.things.of('d')).toHaveLength(1);
    });

    test('its values go into inputs as data: parameters with their types, outputs of steps, rows', async () => {
      world.files.set(
        'values',
        `
title: Values
parameters:
  month: { type: month, default: last month }
  least: { type: whole number, default: 3 }
  counties: { type: text, list: true, default: [a, b] }
steps:
  first:
    query:
      name: first
      sql: "SELECT :x AS x"
      parameters: { month: "\${month}", from: "\${month.first}", to: "\${month.last}", least: "\${least}", counties: "\${counties}" }
  second:
    documents:
      name: second
      rows: first
      text: "\${first.rows} rows of \${run.id}, $\${not}"
`,
      );
      world.things.behaviours.set('first', { output: { rows: 7 } });
      const at = Date.parse('2026-03-15T12:00:00Z');
      const id = await world.submit('values', { parameters: { least: 12 }, at });
      await world.finish();
      const [first] = world.things.of('first');
      expect(first?.input).toEqual({
        name: 'first',
        sql: 'SELECT :x AS x',
        parameters: {
          month: '2026-02',
          from: '2026-02-01',
          to: '2026-02-28',
          least: 12,
          counties: ['a', 'b'],
        },
      });
      expect(world.things.of('second')[0]?.input).toEqual({
        name: 'second',
        rows: { step: 'query', id: first?.id },
        text: `7 rows of ${id}, \${not}`,
      });
    });

    test('of a schedule has the words of its tick in the time zone of the schedule', async () => {
      world.files.set(
        'zoned',
        'title: Z\nparameters: { month: { type: month, default: last month } }\nsteps:\n  a: { query: { name: a, of: "${month}" } }',
      );
      // 1 April, half past midnight in Berlin; still March by UTC, the time zone of the pipeline.
      const at = Date.UTC(2026, 2, 31, 22, 30);
      const data = { pipeline: 'zoned', parameters: {}, schedule: 's', as: 'nightly', at };
      for (const each of [data, { ...data, timeZone: 'Europe/Berlin' }])
        await world.queue.enqueue({ kind: 'pipeline.start', data: each });
      await world.finish();
      expect(world.things.all.map(({ input }) => String(input['of'])).toSorted()).toEqual([
        '2026-02',
        '2026-03',
      ]);
    });

    test('with the key of another is that one, while it lives and after it went well', async () => {
      const key = { key: 'k' };
      const id = await world.submit('line', key);
      expect(await world.submit('line', key)).toBe(id);
      expect(await world.submit('line', { ...key, submitter: 'bob' })).not.toBe(id);
      await world.finish();
      expect(await world.submit('line', key)).toBe(id);
      fail('a');
      const failed = await world.submit('line', { key: 'other' });
      await world.finish();
      expect(await world.submit('line', { key: 'other' })).not.toBe(failed);
    });
  });

  describe('a condition', () => {
    const PICKY = `
title: Picky
steps:
  a: { query: { name: a } }
  b: { query: { name: b }, when: { a.rows: { above: 0 } } }
  c: { query: { name: c } }
  d: { query: { name: d, rows: b }, after: [a, b] }
  e: { query: { name: e }, after: [a, b], when: { b.state: skipped } }
`;
    test.each([
      [5, 'SUCCEEDED a=done b=done c=done d=done e=skipped'],
      [0, 'SUCCEEDED a=done b=skipped c=skipped d=skipped e=done'],
    ])('with %i rows: %s', async (rows, sight) => {
      world.files.set('picky', PICKY);
      world.things.behaviours.set('a', { output: { rows } });
      const id = await world.submit('picky');
      await world.finish();
      expect(await world.sight(id)).toBe(sight);
    });
  });

  describe('a step that fails', () => {
    test('stops what waits for it, and nothing else', async () => {
      fail('b');
      const id = await world.submit('diamond');
      await world.finish();
      expect(await world.sight(id)).toBe('FAILED a=done b=failed c=done d=waiting');
      expect(await step(id, 'b')).toMatchObject({
        error: { code: 'broken', message: 'It broke.' },
      });
    });

    test('and is to be passed over lets the next go on', async () => {
      world.files.set(
        'line',
        line('a', 'b', 'c').replace('name: b } }', 'name: b }, onFailure: continue }'),
      );
      fail('b');
      const id = await world.submit('line');
      await world.finish();
      expect(await world.sight(id)).toBe('SUCCEEDED a=done b=failed c=done');
    });

    test('what is refused fails at once, what may pass is tried again and says why it waits', async () => {
      let answers: (Error | null)[] = [new JobFailure('away', 'Away.'), new Error('odd'), null];
      world.things.behaviours.set('a', { refuses: () => answers.shift() ?? null });
      const id = await world.submit('line');
      await world.step();
      expect(await step(id, 'a')).toMatchObject({
        state: 'running',
        error: { code: 'away', message: 'Away.' },
      });
      await world.finish();
      expect(await world.sight(id)).toBe('SUCCEEDED a=done b=done c=done');
      expect(await step(id, 'a')).toMatchObject({ error: null });
      answers = [new JobFailure('no', 'No.', { retryable: false })];
      const other = await world.submit('line');
      await world.finish();
      expect(await world.sight(other)).toBe('FAILED a=failed b=waiting c=waiting');
    });

    test('goes on by a resume: its work is begun again under another key, what was done is not', async () => {
      fail('b', 1);
      const id = await world.submit('diamond');
      await world.finish();
      expect(await world.sight(id)).toBe('FAILED a=done b=failed c=done d=waiting');
      await world.pipelines.runs.resume(id);
      expect(await world.sight(id)).toBe('PROCESSING a=done b=waiting c=done d=waiting');
      await world.finish();
      expect(await world.sight(id)).toBe('SUCCEEDED a=done b=done c=done d=done');
      expect(world.things.all.map(({ key }) => key.split('/').slice(1).join('/'))).toEqual(
        expect.arrayContaining(['b/1', 'b/2', 'd/1']),
      );
      expect(world.things.all).toHaveLength(5);
    });

    test('whose workload can try the failed parts again has them tried, and is not begun again', async () => {
      world.things.behaviours.set('b', {
        canRetry: true,
        fails: ({ retried }) => (retried > 0 ? null : BROKEN),
      });
      const id = await world.submit('line');
      await world.finish();
      await world.pipelines.runs.resume(id);
      await world.finish();
      expect(await world.sight(id)).toBe('SUCCEEDED a=done b=done c=done');
      expect(world.things.of('b')).toMatchObject([{ retried: 1 }]);
    });

    test('and was put right by hand is done by a resume', async () => {
      fail('b');
      const id = await world.submit('line');
      await world.finish();
      fail('b', 0);
      await world.pipelines.runs.resume(id);
      await world.finish();
      expect(world.things.of('b')).toHaveLength(1);
      expect(await world.sight(id)).toBe('SUCCEEDED a=done b=done c=done');
    });

    test('its job, run again by hand, fails as before and changes nothing', async () => {
      fail('b');
      const id = await world.submit('line');
      await world.finish();
      const { job } = (await step(id, 'b')) ?? {};
      await world.queue.retry([job ?? '']);
      await world.finish();
      expect(await world.queue.get(job ?? '')).toMatchObject({
        state: 'FAILED',
        error: { message: expect.stringContaining(`millrace pipeline resume ${id}`) as unknown },
      });
      expect(world.things.of('b')).toHaveLength(1);
    });
  });

  describe('only a run that failed or was cancelled', () => {
    test('is resumed, and only one that lives is cancelled', async () => {
      const { runs } = world.pipelines;
      const id = await world.submit('line');
      await expect(runs.resume(id)).rejects.toEqual(refused('pipeline_run_not_resumable'));
      await world.finish();
      await expect(runs.resume(id)).rejects.toEqual(refused('pipeline_run_not_resumable'));
      await expect(runs.cancel(id)).rejects.toEqual(refused('pipeline_run_finished'));
      await expect(runs.resume('pipe-999')).rejects.toEqual(refused('pipeline_run_not_found'));
      await expect(runs.cancel('x')).rejects.toEqual(refused('pipeline_run_not_found'));
    });
  });

  describe('a cancel', () => {
    test('ends the steps, their jobs and what they have begun; a resume goes on from there', async () => {
      world.things.behaviours.set('b', { looks: 6, canRetry: true });
      world.things.behaviours.set('c', { looks: 6 });
      const id = await world.submit('diamond');
      for (let count = 0; world.things.all.length < 3; count += 1) await world.step();
      await world.pipelines.runs.cancel(id);
      expect(await world.sight(id)).toBe('CANCELED a=done b=canceled c=canceled d=canceled');
      expect(
        [...world.things.of('b'), ...world.things.of('c')].map(({ canceled }) => canceled),
      ).toEqual([1, 1]);
      await world.finish();
      expect(await world.sight(id)).toBe('CANCELED a=done b=canceled c=canceled d=canceled');
      const { jobs } = await world.queue.list({
        filter: { correlationId: id, kind: 'pipeline.step', state: 'QUEUED' },
        limit: 10,
      });
      expect(jobs).toEqual([]);
      await world.pipelines.runs.resume(id);
      await world.finish();
      expect(await world.sight(id)).toBe('SUCCEEDED a=done b=done c=done d=done');
      // What can be tried again is; the other is begun once more.
      expect(world.things.of('b')).toMatchObject([{ retried: 1 }]);
      expect(world.things.of('c')).toHaveLength(2);
    });

    test('of a job by hand cancels its run', async () => {
      world.things.behaviours.set('a', { looks: 6 });
      const id = await world.submit('line');
      await world.step();
      const { job } = (await step(id, 'a')) ?? {};
      await world.queue.cancel([job ?? '']);
      await world.finish();
      expect(await world.sight(id)).toBe('CANCELED a=canceled b=waiting c=waiting');
      expect(world.things.of('a')).toMatchObject([{ canceled: 1 }]);
      await world.pipelines.runs.resume(id);
      await world.finish();
      expect(await world.sight(id)).toBe('SUCCEEDED a=done b=done c=done');
    });

    test('of a step that waits, by its job, cancels its run too', async () => {
      const id = await world.submit('line');
      const { jobs } = await world.queue.list({ filter: { correlationId: id }, limit: 10 });
      await world.queue.cancel(jobs.map((job) => job.id));
      await world.finish();
      expect(await world.sight(id)).toBe('CANCELED a=canceled b=waiting c=waiting');
    });
  });

  describe('a file that changes', () => {
    test('changes nothing about a run, unless it is resumed with the file', async () => {
      fail('b');
      const id = await world.submit('line');
      await world.finish();
      world.files.set('line', line('a', 'mended', 'c', 'extra'));
      await world.pipelines.runs.resume(id);
      await world.finish();
      expect(await world.sight(id)).toBe('FAILED a=done b=failed c=waiting');
      await world.pipelines.runs.resume(id, { withFile: true });
      await world.finish();
      expect(await world.sight(id)).toBe('SUCCEEDED a=done mended=done c=done extra=done');
      expect(world.things.of('a')).toHaveLength(1);
    });

    test('has a step that was corrected begun with the correction, though its workload could try the old one again', async () => {
      world.things.behaviours.set('b', { canRetry: true, fails: () => BROKEN });
      const id = await world.submit('line');
      await world.finish();
      world.files.set('line', line('a', 'b', 'c').replace('name: b }', 'name: b, fixed: true }'));
      world.things.behaviours.set('b', {
        canRetry: true,
        fails: ({ input }) => (input['fixed'] === true ? null : BROKEN),
      });
      await world.pipelines.runs.resume(id, { withFile: true });
      await world.finish();
      expect(await world.sight(id)).toBe('SUCCEEDED a=done b=done c=done');
      expect(world.things.of('b')).toMatchObject([{ retried: 0 }, { retried: 0 }]);
    });

    test('whose steps that are over are no longer the same is refused', async () => {
      fail('b');
      const id = await world.submit('line');
      await world.finish();
      world.files.set('line', line('other', 'b', 'c'));
      const resume = world.pipelines.runs.resume(id, { withFile: true });
      await expect(resume).rejects.toEqual(refused('pipeline_changed'));
      expect(await world.sight(id)).toBe('FAILED a=done b=failed c=waiting');
    });

    test('a join keeps what was over before', async () => {
      fail('b');
      const id = await world.submit('diamond');
      await world.finish();
      world.files.set(
        'diamond',
        DIAMOND.replace('name: b', 'name: better').replace('name: d', 'name: d2'),
      );
      await world.pipelines.runs.resume(id, { withFile: true });
      await world.finish();
      expect(await world.sight(id)).toBe('SUCCEEDED a=done b=done c=done d=done');
      expect(world.things.of('c')).toHaveLength(1);
      expect(world.things.of('d2')).toHaveLength(1);
    });
  });

  test('a name in SQL is refused before anything begins, and so is what nobody does', async () => {
    world.files.set(
      'spliced',
      'title: S\nparameters: { m: month }\nsteps:\n  a: { query: { name: a, sql: "x ${m}" } }',
    );
    const spliced = world.submit('spliced', { parameters: { m: '2026-01' } });
    await expect(spliced).rejects.toThrow('steps.a.query.sql: values never become part of sql');
    await expect(world.submit('lien')).rejects.toThrow('Did you mean "line"?');
    const { catalogue } = pipelinesWithin(world.pipelines, EVERYTHING);
    expect(() => catalogue.get('lien')).toThrow('Did you mean "line"?');
    await expect(world.submit('line', { parameters: { x: 1 } })).rejects.toEqual(
      refused('invalid_pipeline_parameters'),
    );
    const { jobs } = await world.queue.list({ filter: {}, limit: 10 });
    expect(jobs).toEqual([]);
  });

  test('files beside the pipeline are kept as they were when the run was submitted', async () => {
    world.files.set(
      'filed',
      'title: F\nsteps:\n  a: { documents: { name: a, template: { file: x.docx } } }',
    );
    const bytes = Buffer.from([0, 1, 2, 255]);
    world.beside.push({ name: 'x.docx', sha256: 'abc', bytes });
    await world.submit('filed');
    world.beside.splice(0);
    await world.finish();
    const file = world.things.of('a')[0]?.input['template'] as { read(): Promise<Uint8Array> };
    expect(Buffer.from(await file.read())).toEqual(bytes);
  });
});
