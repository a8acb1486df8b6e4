import { test } from 'vitest';
import {
  dieAt,
  expectWhole,
  freezeAt,
  place,
  useCrashes,
  writers,
} from '../../../test/crash-s3.ts';

useCrashes();

// The requests are POST uploads, PUT, PUT, POST uploadId, HEAD. crash.long.test.ts takes every one.

test.each([
  [2, 'before'],
  [4, 'after'],
] as const)(
  'killed at request %i, %s it: the next one ends with the same bytes',
  async (nth, how) => {
    await dieAt(nth, how);
    await expectWhole(await writers.finish(place.outputs));
  },
);

test('killed again while it copies what was saved: the next one ends with the same bytes', async () => {
  await dieAt(3, 'after');
  await dieAt(6, 'before');
  await expectWhole(await writers.finish(place.outputs));
});

test('frozen before it completes, and woken when another has finished: nothing changes', async () => {
  await freezeAt(4);
});
