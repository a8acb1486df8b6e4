import { expect, test } from 'vitest';
import {
  dieAt,
  expectWhole,
  freezeAt,
  line,
  place,
  useCrashes,
  writers,
} from '../../../test/crash-s3.ts';

useCrashes();

// At every request; crash.test.ts takes one of each kind.

test('killed at every request: the next one ends with the same bytes', async () => {
  const { ended, said } = await writers.run();
  expect([ended, said]).toEqual([0, '']);
  await expectWhole(writers.result());
  const requests = [...line.seen];
  expect(requests).toEqual([
    'POST uploads',
    'PUT partNumber',
    'PUT partNumber',
    'POST uploadId',
    'HEAD',
  ]);
  for (let nth = 1; nth <= requests.length; nth++) {
    for (const how of ['before', 'after'] as const) {
      writers.reset();
      await dieAt(nth, how);
      await expectWhole(await writers.finish(place.outputs));
    }
  }
}, 300_000);

test('killed again at every request of going on', async () => {
  await dieAt(3, 'after');
  const before = line.seen.length;
  await writers.run();
  await expectWhole(writers.result());
  const requests = line.seen.slice(before);
  expect(requests.slice(0, 7)).toEqual([
    'HEAD',
    'GET uploadId',
    'POST uploadId',
    'HEAD',
    'POST uploads',
    'PUT copy',
    'GET',
  ]);
  for (let nth = 1; nth <= 7; nth++) {
    // Another upload each time, which nobody has completed yet.
    writers.reset();
    await dieAt(3, 'after');
    await dieAt(nth, nth % 2 === 0 ? 'before' : 'after');
    await expectWhole(await writers.finish(place.outputs));
  }
}, 300_000);

test('frozen before any request, and woken when another has finished: nothing changes', async () => {
  for (const nth of [2, 3, 4, 5]) await freezeAt(nth);
}, 300_000);
