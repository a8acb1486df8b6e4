import { type JobDefinition, defineJob } from '@millrace/engine';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { placesOf } from './places.ts';

function kind(name: string, more: Partial<JobDefinition<object>> = {}) {
  return defineJob({ kind: name, input: z.object({}), run: async () => {}, ...more });
}

const REDIS = { url: 'redis://localhost', passwordFile: null, prefix: 'millrace', replicas: 0 };

function places(kinds: ReturnType<typeof kind>[], more: Partial<Parameters<typeof placesOf>[0]>) {
  const redis = { ...REDIS, kinds: ['mine'] };
  const found = placesOf({ redis, kinds, wanting: ['theirs'], rules: [], schedules: [], ...more });
  return [found.main, found.redis].map((some) => some.map((each) => each.kind));
}

test('Redis has the kinds that want it and those that people name, where there is one', () => {
  const kinds = [kind('mine'), kind('other'), kind('theirs')];
  expect(places(kinds, {})).toEqual([['other'], ['mine', 'theirs']]);
  expect(places(kinds, { redis: null })).toEqual([['mine', 'other', 'theirs'], []]);
  expect(() => places([kind('other')], {})).toThrow(/no kind "mine"/);
});

test.each([
  [{ quota: { running: 2 } }, /quota of running jobs/],
  [{ cleanup: async () => {} }, /cleanup needs dependencies/],
])('what a kind needs that Redis lacks is refused: %o', (more, sentence) => {
  expect(() => places([kind('mine', more)], {})).toThrow(sentence);
});

test('so are rules with it as a parent or a child, and schedules', () => {
  const kinds = [kind('mine'), kind('other')];
  const rule = { name: 'chain' };
  for (const [parent, child] of [
    ['mine', 'other'],
    ['other', 'mine'],
  ] as const)
    expect(() =>
      places(kinds, { rules: [{ ...rule, parents: [parent], children: [child] }] }),
    ).toThrow(/rule "chain"/);
  const job = { kind: 'mine', data: {} };
  expect(() => places(kinds, { schedules: [{ name: 'nightly', cron: '0 2 * * *', job }] })).toThrow(
    /schedule "nightly"/,
  );
});
