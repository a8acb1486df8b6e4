import { expect, test } from 'vitest';
import { type FillingParts, createFilling } from './filling.ts';

const log = { info: () => {}, warn: () => {}, error: () => {} };
const NOON = Date.parse('2026-01-31T12:00:00Z');

/** A sample whose steps are taken by hand. */
function start(made: Awaited<ReturnType<FillingParts['made']>> = null) {
  let found = made;
  const asked: { rows: number; today: string }[] = [];
  let hands: { step: (share: number) => void; end: (error?: Error) => void } | null = null;
  const filling = createFilling({
    now: () => NOON,
    log,
    made: async () => found,
    fill: ({ rows, today, onStep }) =>
      new Promise((resolve, reject) => {
        asked.push({ rows, today });
        hands = {
          step: (share) => onStep({ makes: 'timesheets', share }),
          end(error) {
            if (error !== undefined) return reject(error);
            found = { rows, today };
            resolve();
          },
        };
      }),
  });
  return { filling, asked, hands: () => hands };
}

test('a sample is empty, then filled in the background, then ready', async () => {
  const { filling, hands, asked } = start();
  expect(await filling.status()).toMatchObject({ state: 'empty', rows: null });
  expect(await filling.begin(500)).toMatchObject({ state: 'filling', rows: 500, percent: 0 });
  expect(asked).toEqual([{ rows: 500, today: '2026-01-31' }]);
  hands()?.step(0.4);
  expect(await filling.status()).toMatchObject({
    state: 'filling',
    percent: 40,
    makes: 'timesheets',
    startedAt: NOON,
  });
  // Not over before it is.
  hands()?.step(1);
  expect(await filling.status()).toMatchObject({ state: 'filling', percent: 99 });
  await expect(filling.begin(1)).rejects.toMatchObject({ code: 'sample_busy' });
  hands()?.end();
  await filling.settled();
  expect(await filling.status()).toMatchObject({ state: 'ready', rows: 500, percent: 100 });
});

test('what went wrong is reported, and it can be filled again', async () => {
  const { filling, hands, asked } = start();
  await filling.begin(500);
  hands()?.end(new Error('The disk is full.'));
  await filling.settled();
  expect(await filling.status()).toMatchObject({ state: 'failed', error: 'The disk is full.' });
  expect(await filling.begin(600)).toMatchObject({ state: 'filling', error: null });
  expect(asked).toHaveLength(2);
});

test('the first filling is only where there is nothing', async () => {
  const there = start({ rows: 7, today: '2026-01-01' });
  await there.filling.beginFirst(500);
  expect(there.asked).toEqual([]);
  const empty = start();
  await empty.filling.beginFirst(500);
  expect(empty.asked).toHaveLength(1);
});
