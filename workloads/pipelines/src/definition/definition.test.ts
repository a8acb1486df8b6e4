import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Catalogue, createCatalogue } from '../catalogue.ts';
import type { Pipelines } from '../pipelines.ts';
import type { Work, Works } from '../step/work.ts';
import { pipelinesWithin } from '../within.ts';
import { holds } from './conditions.ts';
import { liveSteps, runStateOf, type StepState } from './graph.ts';
import type { Condition, Plan, Value } from './plan.ts';
import { valuesOf } from './values.ts';

/** Files of a folder, as people write them. */

let folder: string;
let catalogue: Catalogue;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-pipelines-'));
  catalogue = createCatalogue({ folder, timeZone: 'UTC', lookEveryMs: 20 });
});
afterEach(async () => {
  await catalogue.close();
  rmSync(folder, { recursive: true, force: true });
});

const put = (file: string, text: string) => writeFileSync(join(folder, file), text);

const query = {
  input: z.strictObject({
    sql: z.string(),
    parameters: z.record(z.string(), z.unknown()).optional(),
    limit: z.number().optional(),
  }),
  literal: ['sql'],
  outputs: ['rows'],
  rows: () => [],
} as unknown as Work;
const email = { input: z.looseObject({ to: z.string() }), hand: () => {} } as unknown as Work;
const works: Works = (type) => ({ query, email })[type];

async function problems(text: string, own = works): Promise<string[]> {
  put('p.yaml', text);
  await catalogue.open(own);
  return catalogue
    .now()
    .troubled.flatMap((each) => each.problems)
    .map(({ line, column, message }) => `${line}:${column} ${message}`);
}

const GOOD = `title: Good
parameters:
  month: { type: month, default: last month }
steps:
  customers:
    query: { sql: "SELECT :m AS M", parameters: { m: "\${month.first}" } }
  more:
    after: []
    query: { sql: SELECT 1 AS One }
`;

describe('a file', () => {
  test('that is good is in force: a step waits for the one before it, unless it says otherwise', async () => {
    expect(await problems(GOOD)).toEqual([]);
    const { value } = catalogue.now().pipelines.get('p') ?? {};
    expect(value?.steps.map(({ name, title, type, after }) => [name, title, type, after])).toEqual([
      ['customers', 'Customers', 'query', []],
      ['more', 'More', 'query', []],
    ]);
  });

  const step = (text: string) =>
    `title: T\nparameters: { month: { type: month, default: last month } }\nsteps:\n  a: { query: { sql: S } }\n${text}\n`;
  test.each([
    ['no steps', 'title: T\nsteps: {}\n', '2:8 steps: there is no step. Write at least one.'],
    ['a step that does nothing', step('  b: { title: B }'), /5:6 steps.b: this does nothing yet/],
    [
      'two things in one',
      step('  b: { query: { sql: S }, email: { to: x } }'),
      /5:27 steps.b.email: a step does one thing/,
    ],
    [
      'a misspelt type',
      step('  b: { qurey: { sql: S } }'),
      /5:8 steps.b.qurey: .*Did you mean "query"/,
    ],
    [
      'a name of no step',
      step('  b: { query: { sql: S }, after: c }'),
      /5:34 steps.b.after.*there is no step c/,
    ],
    [
      'a circle',
      step('  b: { query: { sql: S }, after: c }\n  c: { query: { sql: S } }'),
      /waits for itself/,
    ],
    [
      'a name of nothing',
      step('  b: { query: { sql: S, parameters: { x: "${moth}" } } }'),
      /5:42 .*there is no moth here. Did you mean month/,
    ],
    [
      'a part of nothing',
      step('  b: { query: { sql: S, parameters: { x: "${month.frist}" } } }'),
      /there is no month.frist. There is first, last/,
    ],
    [
      'a step by itself',
      step('  b: { query: { sql: S, parameters: { x: "${a}" } } }'),
      /a is a step. Say what of it/,
    ],
    [
      'a step that need not be over',
      step(
        '  b: { query: { sql: S }, after: [] }\n  c: { query: { sql: S, parameters: { x: "${a.rows}" } }, after: b }',
      ),
      /need not be over/,
    ],
    [
      'an output that there is not',
      step('  b: { query: { sql: S }, when: { a.row: { above: 0 } } }'),
      /5:35 .*query gives no row. It gives state, id, rows/,
    ],
    [
      'a condition that says nothing',
      step('  b: { query: { sql: S }, when: { a.rows: {} } }'),
      /write a condition/,
    ],
    [
      'a value in SQL',
      step('  b: { query: { sql: "x = \'${month}\'" } }'),
      /5:22 .*values never become part of sql. Write :month here/,
    ],
    [
      'a member that the step does not take',
      step('  b: { query: { sql: S, limt: 1 } }'),
      /5:25 steps.b.query.limt/,
    ],
    [
      'a wrong type',
      step('  b: { query: { sql: S, limit: many } }'),
      /5:32 steps.b.query.limit: write a number/,
    ],
    [
      'rows of a step that has none',
      step('  b: { email: { to: x } }\n  c: { email: { to: x, rows: b } }'),
      /the step b \(email\) has no rows to hand on/,
    ],
    ['a file elsewhere', step('  b: { email: { to: x, f: { file: ../x } } }'), /without a folder/],
    [
      'the name of a parameter',
      step('  month: { query: { sql: S } }'),
      /5:3 steps.month: month already stands for a parameter/,
    ],
    [
      'a service that nobody is',
      `${step('')}schedule: { cron: 0 6 * * *, as: nobody }\n`,
      /there is no service nobody/,
    ],
    ['a time that is none', `${step('')}schedule: { cron: often, as: x }\n`, /no cron expression/],
  ])('with %s says so, at its place', async (_, text, sentence) => {
    const found = (await problems(text)).join('\n');
    if (typeof sentence === 'string') expect(found).toBe(sentence);
    else expect(found).toMatch(sentence);
  });

  test('a value that is yet to come is judged when it is there', async () => {
    expect(await problems(step('  b: { query: { sql: S, limit: "${a.rows}" } }'))).toEqual([]);
  });

  test('steps of workloads that are not there are not judged', async () => {
    expect(await problems(step('  b: { documents: { anything: 1 } }'))).toEqual([]);
  });

  test('called runs.yaml is refused: the API has another use for the word', async () => {
    put('runs.yaml', GOOD);
    await catalogue.load();
    expect(catalogue.now().pipelines.has('runs')).toBe(false);
  });
});

test('only a file that was good before has an older version in force', async () => {
  const list = () => {
    const pipelines = { catalogue, works, now: () => 0 } as unknown as Pipelines;
    return pipelinesWithin(pipelines, { tenant: '', tenants: 'all', owner: null }).catalogue.list(
      {},
    );
  };
  put('p.yaml', GOOD);
  put('never.yaml', 'title: N\nsteps:\n  a: { query: { sqll: S } }\n');
  await catalogue.load();
  await catalogue.open(works);
  expect(list().troubled).toMatchObject([{ name: 'never', hasOlder: false }]);
  put('p.yaml', 'title: P\nsteps: {}\n');
  await catalogue.load();
  expect(list().troubled).toMatchObject([
    { name: 'never', hasOlder: false },
    { name: 'p', hasOlder: true },
  ]);
});

test('a schedule makes a job that submits the run, under its service', async () => {
  put('services.yaml', 'nightly: { tenant: acme, roles: [member], claims: { county: 19 } }\n');
  put(
    'p.yaml',
    `${GOOD}schedule:\n  - { cron: 0 6 1 * *, timeZone: Europe/Berlin, as: nightly, parameters: { month: 2026-01 } }\n`,
  );
  await catalogue.open(works);
  expect(catalogue.now().troubled).toEqual([]);
  expect(catalogue.schedules()).toEqual([
    {
      name: 'pipeline:p',
      cron: '0 6 1 * *',
      timeZone: 'Europe/Berlin',
      missed: 'last',
      overlap: 'skip',
      dataAt: expect.any(Function),
      job: {
        kind: 'pipeline.start',
        submitter: 'service:nightly',
        tenant: 'acme',
        data: {
          pipeline: 'p',
          parameters: { month: '2026-01' },
          schedule: 'pipeline:p',
          as: 'nightly',
          timeZone: 'Europe/Berlin',
        },
      },
    },
  ]);
});

test('files beside a pipeline are read as they are now, and nothing else of the machine', async () => {
  put('x.docx', 'bytes');
  const plan = (file: string) =>
    ({
      steps: [{ input: { template: { file } } }, { input: { other: { file } } }],
    }) as unknown as Plan;
  expect(await catalogue.filesOf(plan('x.docx'))).toMatchObject([
    { name: 'x.docx', bytes: Buffer.from('bytes') },
  ]);
  for (const file of ['gone.docx', '../../etc/passwd'])
    await expect(catalogue.filesOf(plan(file))).rejects.toMatchObject({
      code: 'pipeline_file_missing',
    });
});

describe('a condition', () => {
  const values: Record<string, Value | Value[]> = {
    n: 5,
    t: '10',
    d: '2026-02-01',
    none: null,
    l: ['a', 'b'],
  };
  const met = (of: string, how: Condition['test'], value: Condition['value']) =>
    holds([{ of, test: how, value }], (name) => values[name]);
  test.each<[string, Condition['test'], Condition['value'], boolean]>([
    ['n', 'above', 4, true],
    ['n', 'above', 5, false],
    ['n', 'atLeast', 5, true],
    ['n', 'below', '10', true],
    ['t', 'above', 9, true],
    ['d', 'below', '2026-10-01', true],
    ['n', 'is', '5', true],
    ['n', 'isNot', 5, false],
    ['l', 'is', 'b', true],
    ['n', 'oneOf', [4, 5], true],
    ['none', 'is', null, true],
    ['none', 'above', -1, false],
    ['none', 'below', 1, false],
    ['unknown', 'is', null, true],
    ['n', 'atMost', 4, false],
  ])('%s %s %j: %s', (of, name, value, wanted) => expect(met(of, name, value)).toBe(wanted));
});

test('values have their types, and what can stand behind a point', () => {
  const base = {
    label: '',
    help: null,
    required: false,
    default: null,
    min: null,
    max: null,
    choices: [],
    list: false,
    suggest: null,
  };
  const of = (name: string, type: string, more = {}) => ({ ...base, name, type, ...more }) as never;
  expect(
    valuesOf(
      [
        of('m', 'month'),
        of('r', 'date range'),
        of('n', 'whole number'),
        of('x', 'decimal'),
        of('b', 'boolean'),
        of('l', 'whole number', { list: true }),
        of('e', 'month'),
      ],
      {
        m: '2024-02',
        r: '2026-01-01..2026-01-31',
        n: '12',
        x: '0.10',
        b: 'true',
        l: ['1', '2'],
        e: null,
      },
    ),
  ).toEqual({
    m: '2024-02',
    'm.first': '2024-02-01',
    'm.last': '2024-02-29',
    r: '2026-01-01..2026-01-31',
    'r.from': '2026-01-01',
    'r.to': '2026-01-31',
    n: 12,
    x: '0.10',
    b: true,
    l: [1, 2],
    e: null,
    'e.first': null,
    'e.last': null,
  });
});

/** Every state of every step of some graphs: a run is over exactly where nothing more can happen. */
test('a run lives while one of its steps can go on', () => {
  const STATES: readonly StepState[] = [
    'waiting',
    'running',
    'done',
    'skipped',
    'failed',
    'canceled',
  ];
  const plan = {
    steps: [
      { name: 'a', after: [], onFailure: 'stop' },
      { name: 'b', after: ['a'], onFailure: 'continue' },
      { name: 'c', after: ['a', 'b'], onFailure: 'stop' },
    ],
  } as unknown as Plan;
  for (const a of STATES)
    for (const b of STATES)
      for (const c of STATES) {
        const states = new Map([
          ['a', { state: a }],
          ['b', { state: b }],
          ['c', { state: c }],
        ] as const);
        const all = [a, b, c];
        const aPasses = a === 'done' || a === 'skipped';
        const bPasses = b === 'done' || b === 'skipped' || b === 'failed';
        const isLive =
          all.includes('running') ||
          a === 'waiting' ||
          (b === 'waiting' && aPasses) ||
          (c === 'waiting' && aPasses && bPasses);
        const state = runStateOf(plan, states);
        expect([a, b, c, state === 'QUEUED' || state === 'PROCESSING']).toEqual([a, b, c, isLive]);
        expect(liveSteps(plan, states).length > 0).toBe(isLive);
        expect(state === 'QUEUED').toBe(isLive && all.every((each) => each === 'waiting'));
        if (isLive) continue;
        const isWhole = aPasses && bPasses && (c === 'done' || c === 'skipped');
        const wanted = isWhole ? 'SUCCEEDED' : all.includes('canceled') ? 'CANCELED' : 'FAILED';
        expect([a, b, c, state]).toEqual([a, b, c, wanted]);
      }
});
