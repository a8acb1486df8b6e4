import { type Rule, defineJob, defineRule, done } from '@millrace/engine';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type Harness, createHarness, refusal } from '../../test/harness.ts';

let harness: Harness;
afterEach(() => harness.close());

const input = z.object({ month: z.string() });
const kind = (name: string, children: readonly string[] = []) =>
  defineJob({
    kind: name,
    input,
    public: true,
    run: async ({ data }, { enqueue }) => {
      for (const child of children) enqueue({ kind: child, data });
      return done();
    },
  });
const kinds = [
  kind('import', ['sheet', 'sheet']),
  kind('sheet', ['letter']),
  kind('letter'),
  kind('ledger'),
  kind('statement'),
  kind('close'),
];
const rules: Rule[] = [
  defineRule({
    name: 'statements',
    parents: ['import'],
    child: 'statement',
    data: ({ data }) => data,
  }),
  defineRule({
    name: 'month-end',
    parents: ['import', 'ledger'],
    child: 'close',
    match: ({ data }) => input.parse(data).month,
    data: ({ data }) => data,
  }),
];

test('a family: where it came from, children and grandchildren, and what waits for others', async () => {
  harness = createHarness({ kinds, rules });
  const { client, worker } = harness;
  const body = { kind: 'import', data: { month: '2026-01' } };
  const { id } = await client.enqueue({ body });
  let letters = 0;
  const over = harness.next('job.succeeded', (event) => {
    if (event.kind === 'letter') letters += 1;
    return letters === 2;
  });
  worker.start();
  await over;
  const family = await client.getFamily({ params: { id } });
  const told = family.nodes.map(({ kind: name, generation }) => `${generation} ${name}`).toSorted();
  expect(told).toEqual(['0 import', '1 sheet', '1 sheet', '1 statement', '2 letter', '2 letter']);
  expect(family.more).toBe(false);
  const kindOf = new Map(family.nodes.map((node) => [node.id, node.kind]));
  const edges = family.edges.map(
    ({ from, to, why }) => `${kindOf.get(from)} → ${kindOf.get(to)}: ${why}`,
  );
  expect(edges.toSorted()).toEqual([
    'import → sheet: made',
    'import → sheet: made',
    'import → statement: rule',
    'sheet → letter: made',
    'sheet → letter: made',
  ]);
  expect(family.gates).toMatchObject([
    {
      rule: 'month-end',
      key: '2026-01',
      child: 'close',
      arrived: { import: id },
      waitsFor: ['ledger'],
    },
  ]);
  const letter = family.nodes.find((node) => node.kind === 'letter');
  const ofLetter = await client.getFamily({ params: { id: letter?.id ?? '' } });
  expect(ofLetter.nodes.map(({ kind: name, generation }) => `${generation} ${name}`)).toEqual([
    '-2 import',
    '-1 sheet',
    '0 letter',
  ]);
});

test('of a job that is not there', async () => {
  harness = createHarness();
  await refusal(harness.client.getFamily({ params: { id: 'mem-7' } }), 'job_not_found');
});
