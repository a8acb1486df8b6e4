import { expect, test } from 'vitest';
import { json } from '../../../test/scripted.ts';
import { connect, openCloud } from '../../test/cloud.ts';

test('no more requests than configured are under way', async () => {
  const cloud = await openCloud();
  const waiting: (() => void)[] = [];
  let most = 0;
  const reached = new Promise<void>((resolve) => {
    cloud.otherwise((exchange) => {
      waiting.push(() => void json(200, { isRunning: true })(exchange));
      most = Math.max(most, waiting.length);
      if (cloud.seen.length === 3) resolve();
      if (cloud.seen.length > 3) waiting.shift()?.();
    });
  });
  const { unit } = connect(cloud, { concurrency: 3 });
  const all = Promise.all(Array.from({ length: 12 }, () => unit.isRunning('q')));
  await reached;
  for (const answer of waiting.splice(0)) answer();
  await all;
  expect([most, cloud.seen.length]).toEqual([3, 12]);
});
