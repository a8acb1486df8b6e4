import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type WorldOptions, createWorld, work } from '../../test/world.ts';
import {
  type Rule,
  type RuleBook,
  WEBHOOK_KIND,
  defineRule,
  dependantsOf,
} from './dependencies.ts';
import { JobFailure } from '../errors.ts';
import type { FinishedJob } from '../job.ts';
import { createRegistry } from './registry.ts';

/** Rules on a running worker. The parents "a" and "b" fail when their data says so. */

const parents = ['a', 'b'].map((kind) =>
  work(
    async ({ data }) => {
      if ((data as { fails?: boolean }).fails === true)
        throw new JobFailure('bad', 'no', { retryable: false });
    },
    { kind, input: z.object({ month: z.string().optional(), fails: z.boolean().optional() }) },
  ),
);
const child = work(async () => {}, { kind: 'child', input: z.object({ of: z.string() }) });

function world(rule: Partial<Rule>, more: Partial<WorldOptions> = {}) {
  const rules: Rule[] = [
    { name: 'rule', parents: ['a'], child: 'child', data: ({ id }) => ({ of: id }), ...rule },
  ];
  const made = createWorld({ kinds: [...parents, child], rules, ...more });
  made.worker.start();
  const end = async (kind: string, data: object = {}, tenant = '') => {
    const id = await made.enqueue({ kind, data, tenant });
    await made.run(100);
    return id;
  };
  return { ...made, end };
}

const both: Partial<Rule> = {
  parents: ['a', 'b'],
  match: ({ data }) => (data as { month?: string }).month ?? null,
};

describe('a rule with one parent', () => {
  it('makes a child of each that succeeds, with whose it is', async () => {
    const { enqueue, run, all } = world({ priority: 7 });
    await enqueue({
      kind: 'a',
      data: {},
      tenant: 'acme',
      correlationId: 'c1',
      submitter: 'ann',
      subject: 'p1',
    });
    await run(100);
    expect(await all('child')).toMatchObject([
      {
        state: 'SUCCEEDED',
        payload: '{"of":"mem-1"}',
        tenant: 'acme',
        correlationId: 'c1',
        submitter: 'ann',
        subject: 'p1',
        priority: 7,
        parents: { a: 'mem-1' },
      },
    ]);
  });

  it.each<[Rule['when'], number, number, number]>([
    [undefined, 1, 0, 0],
    ['succeeded', 1, 0, 0],
    ['failed', 0, 1, 0],
    ['finished', 1, 1, 1],
  ])(
    'when %s: %d of a success, %d of a failure, %d of a cancellation',
    async (when, success, failure, cancellation) => {
      const { end, all, enqueue, queue } = world(when === undefined ? {} : { when });
      await end('a');
      expect(await all('child')).toHaveLength(success);
      await end('a', { fails: true });
      expect(await all('child')).toHaveLength(success + failure);
      await queue.cancel([await enqueue({ kind: 'a', data: {}, delay: '1h' })]);
      expect(await all('child')).toHaveLength(success + failure + cancellation);
    },
  );

  it('gets the correlation id, or the id of a job that has none', async () => {
    const { enqueue, run, all } = world({ data: ({ correlationId }) => ({ of: correlationId }) });
    await enqueue({ kind: 'a', data: {}, correlationId: 'c1' });
    await run(100);
    const id = await enqueue({ kind: 'a', data: {} });
    await run(100);
    expect((await all('child')).map(({ payload }) => payload)).toEqual([
      '{"of":"c1"}',
      JSON.stringify({ of: id }),
    ]);
  });

  it('can leave a parent out', async () => {
    const { end, all } = world({ match: () => null });
    await end('a');
    expect(await all('child')).toEqual([]);
  });

  it('sees the data also of a kind that purges it', async () => {
    const purging = work(async () => {}, { kind: 'a', purgePayload: true });
    const { end, all } = world(
      { data: ({ data }) => ({ of: (data as { month: string }).month }) },
      { kinds: [purging, child] },
    );
    await end('a', { month: 'May' });
    expect(await all('child')).toMatchObject([{ payload: '{"of":"May"}' }]);
  });

  it('makes another child when a parent is run again by hand', async () => {
    const { end, queue, run, all } = world({ when: 'failed' });
    const id = await end('a', { fails: true });
    await queue.retry([id]);
    await run(100);
    expect(await all('child')).toHaveLength(2);
  });
});

describe('a rule with all of several parents', () => {
  it('makes one child when the last has come, with all of them', async () => {
    const { end, all } = world(both);
    const a = await end('a', { month: 'May' });
    expect(await all('child')).toEqual([]);
    const b = await end('b', { month: 'May' });
    expect(await all('child')).toMatchObject([{ parents: { a, b } }]);
  });

  it('keeps those apart that do not match, and the tenants', async () => {
    const { end, all } = world(both);
    await end('a', { month: 'May' });
    await end('b', { month: 'June' });
    await end('b', { month: 'May' }, 'acme');
    await end('b');
    expect(await all('child')).toEqual([]);
    await end('a', { month: 'June' });
    expect(await all('child')).toHaveLength(1);
  });

  it('can go by the correlation id', async () => {
    const { enqueue, run, all } = world({
      parents: ['a', 'b'],
      match: ({ correlationId }) => correlationId,
    });
    for (const [kind, correlationId] of [
      ['a', 'c1'],
      ['a', 'c2'],
      ['b', 'c2'],
    ] as const)
      await enqueue({ kind, data: {}, correlationId });
    await run(100);
    expect(await all('child')).toMatchObject([{ correlationId: 'c2', parents: { a: 'mem-2' } }]);
  });

  it('waits for a parent that failed until it is run again', async () => {
    const { end, all } = world(both);
    await end('a', { month: 'May' });
    await end('b', { month: 'May', fails: true });
    expect(await all('child')).toEqual([]);
    await end('b', { month: 'May' });
    expect(await all('child')).toHaveLength(1);
  });

  it('does not wait for ever: the gate closes, and is reported', async () => {
    const { end, all, run, of } = world({ ...both, within: '2h' });
    const a = await end('a', { month: 'May' });
    await run(3 * 3_600_000);
    expect(of('gate.closed')).toEqual([{ rule: 'rule', key: '["","May"]', arrived: { a } }]);
    await end('b', { month: 'May' });
    expect(await all('child')).toEqual([]);
  });
});

describe('a rule whose own code fails', () => {
  const broken: [string, Partial<Rule>][] = [
    [
      'data throws',
      {
        data: () => {
          throw new Error('no such column');
        },
      },
    ],
    [
      'match throws what cannot even be said',
      {
        match: () => {
          throw Object.create(null);
        },
      },
    ],
    ['match is longer than an index takes', { match: () => 'x'.repeat(256) }],
    ['data is not JSON', { data: () => 5n }],
    ['data cannot be stored', { data: () => ({ of: '\u0000' }) }],
    ['data has more than a child may', { data: () => ({ of: 'x'.repeat(1_000_001) }) }],
  ];

  it.each(broken)('%s: the parent has ended, and the child is a dead letter', async (_, rule) => {
    const { end, all, job } = world(rule);
    const id = await end('a');
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED' });
    expect(await all('child')).toMatchObject([
      { state: 'FAILED', attempt: 1, parents: { a: id }, error: { code: 'validation_error' } },
    ]);
  });

  it('says why', async () => {
    const { end, all } = world(broken[0]?.[1] ?? {});
    const id = await end('a');
    expect(JSON.parse((await all('child'))[0]?.payload ?? '')).toEqual({
      ruleFailed: 'rule',
      parent: id,
      why: 'Error: no such column',
    });
  });

  it('does not wait at a gate for others', async () => {
    const { end, all } = world({ ...both, ...broken[0]?.[1] });
    await end('a', { month: 'May' });
    expect(await all('child')).toMatchObject([{ state: 'FAILED' }]);
  });
});

describe('a webhook', () => {
  const webhookKind = work(async () => {}, { kind: WEBHOOK_KIND });

  it('follows from each end, with its state', async () => {
    const { enqueue, run, all } = world({}, { kinds: [...parents, child, webhookKind] });
    await enqueue({ kind: 'a', data: {}, webhook: 'https://a.example/hook' });
    await enqueue({ kind: 'a', data: { fails: true }, webhook: 'https://a.example/hook' });
    await run(100);
    expect(
      (await all(WEBHOOK_KIND)).map(({ payload }) => JSON.parse(payload ?? '') as unknown),
    ).toEqual([
      { job: 'mem-1', state: 'SUCCEEDED', url: 'https://a.example/hook' },
      { job: 'mem-2', state: 'FAILED', url: 'https://a.example/hook' },
    ]);
  });

  it('of a job that came from a newer replica does not stop this one: its end is written', () => {
    const dependants = dependantsOf(createRegistry(parents), []);
    const ended: FinishedJob = {
      id: 'mem-1',
      kind: 'a',
      tenant: '',
      payload: '{}',
      result: null,
      state: 'FAILED',
      correlationId: null,
      submitter: null,
      subject: null,
      webhook: 'https://a.example',
      parents: null,
      traceparent: null,
    };
    expect(dependants(ended)).toMatchObject([{ child: { kind: WEBHOOK_KIND, maxAttempts: 4 } }]);
    expect(dependants({ ...ended, subject: 'p1' })).toMatchObject([{ child: { subject: 'p1' } }]);
    expect(dependants({ ...ended, kind: 'unheard-of', webhook: null })).toEqual([]);
  });
});

describe('a book of rules', () => {
  const ended: FinishedJob = {
    id: 'mem-1',
    kind: 'a',
    tenant: 'acme',
    payload: '{"date":"2026-01-31"}',
    result: '{"rows":3}',
    state: 'SUCCEEDED',
    correlationId: 'c1',
    submitter: 'ann',
    subject: null,
    webhook: null,
    parents: null,
    traceparent: null,
  };
  const book = (follow: RuleBook['follow']): RuleBook => ({
    name: 'reports',
    parents: ['a'],
    children: ['child'],
    follow,
  });
  const registry = createRegistry([...parents, child]);

  it('is asked at the end of a job, with its data and result, and makes what it says', () => {
    const dependants = dependantsOf(
      registry,
      [],
      [
        book(({ data, result, submitter }) => [
          {
            child: 'child',
            data: { data, result, submitter },
            priority: 5,
            submitter: 'service:x',
          },
          {
            child: 'child',
            data: {},
            gate: { rule: 'all', key: 'k', slot: 'left', slots: ['left', 'right'], within: '1h' },
          },
        ]),
      ],
    );
    expect(dependants(ended)).toMatchObject([
      {
        child: {
          kind: 'child',
          tenant: 'acme',
          priority: 5,
          submitter: 'service:x',
          correlationId: 'c1',
          parents: { a: 'mem-1' },
          payload: '{"data":{"date":"2026-01-31"},"result":{"rows":3},"submitter":"ann"}',
        },
      },
      {
        child: { submitter: 'ann' },
        gate: {
          rule: 'all',
          key: '["acme","k"]',
          slot: 'left',
          slots: ['left', 'right'],
          withinMs: 3_600_000,
        },
      },
    ]);
    expect(dependants({ ...ended, kind: 'b' })).toEqual([]);
  });

  it('that throws, or names what no gate can be, stops no job from ending', () => {
    const gate = { rule: 'all', key: 'k'.repeat(256), slot: 'left', slots: ['left', 'right'] };
    const broken: RuleBook['follow'][] = [
      () => {
        throw new Error('no such report');
      },
      () => [{ child: 'child', data: {}, gate }],
      () => [{ child: 'child', data: {}, gate: { ...gate, key: 'k', within: 'soon' as never } }],
    ];
    for (const follow of broken) {
      const [only, ...others] = dependantsOf(registry, [], [book(follow)])(ended);
      expect(others).toEqual([]);
      expect(only?.gate).toBeUndefined();
      expect(JSON.parse(only?.child.payload ?? '')).toMatchObject({ ruleFailed: 'reports' });
    }
  });

  it('has a name of its own, and kinds that are there', () => {
    const empty = book(() => []);
    expect(() => dependantsOf(registry, [], [empty, empty])).toThrow('Two rules are called');
    expect(() => dependantsOf(registry, [], [{ ...empty, parents: ['none'] }])).toThrow(
      'There is no kind "none"',
    );
  });
});

describe('a rule that is not possible is refused at the start', () => {
  const rule: Rule = { name: 'rule', parents: ['a'], child: 'child', data: () => ({}) };

  it.each<[string, Partial<Rule>, string]>([
    [
      'no parents',
      { parents: [] },
      'The rule "rule", parents: this is not possible. Give it a list',
    ],
    ['no list of them', { parents: 'a' as never }, 'The rule "rule", parents: '],
    [
      'nothing that says which of several belong together',
      { parents: ['a', 'b'] },
      'The rule "rule", match: this is not possible. Give it a function that says which',
    ],
    ['a parent twice', { parents: ['a', 'a'] }, 'one or more different kinds'],
    [
      'no data',
      { data: {} as never },
      'The rule "rule", data: this is not possible. Give it a function',
    ],
    [
      'a wrong "when"',
      { when: 'done' as 'failed' },
      'The rule "rule", when: this is not possible. Give it "succeeded", "failed" or "finished".',
    ],
    ['no time to wait', { within: 0 }, 'The rule "rule", within: this is not possible.'],
    [
      'a wrong time',
      { within: 'soon' as '1s' },
      'The rule "rule", within: "soon" is not a duration',
    ],
    [
      'a wrong priority',
      { priority: 1_001 },
      'The rule "rule", priority: The priority must be a whole number',
    ],
    ['no name', { name: '' }, 'The name of a rule must be a text of 1 to 255 characters.'],
  ])('%s', (_, changes, message) => {
    expect(() => defineRule({ ...rule, ...changes })).toThrow(message);
    expect(() =>
      dependantsOf(createRegistry([...parents, child]), [{ ...rule, ...changes }]),
    ).toThrow(message);
  });

  it('a field that there is not', () => {
    const misspelt = { ...rule, prioritty: 5 };
    expect(() => defineRule(misspelt)).toThrow(
      'The rule "rule", prioritty: there is no such field. Did you mean "priority"?',
    );
  });

  it('unknown kinds, and two of one name', () => {
    const registry = createRegistry([...parents, child]);
    expect(() => dependantsOf(registry, [{ ...rule, child: 'nobody' }])).toThrow(
      'The rule "rule", child: There is no kind "nobody"',
    );
    expect(() =>
      dependantsOf(registry, [{ ...rule, parents: ['a', 'nobody'], match: String }]),
    ).toThrow('The rule "rule", parents[1]: There is no kind "nobody"');
    expect(() => dependantsOf(registry, [rule, { ...rule, child: 'a' }])).toThrow(
      'Two rules are called "rule".',
    );
  });
});
