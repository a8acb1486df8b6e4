import type { TaskStatus } from '@millrace/marketing-cloud';
import { createVirtualTime } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { refusal } from '../../test/cloud.ts';
import { type Meter, type Tally, createMeter } from '../calls.ts';
import { createStatuses } from './statuses.ts';

const statusOf = (taskId: string): TaskStatus => ({
  taskId,
  status: 'Processing',
  statusMessage: null,
  errorMsg: null,
  startDate: null,
  completedDate: null,
});

type Answers = (ids: readonly string[]) => TaskStatus[] | Promise<TaskStatus[]>;

function open(answer: Answers = (ids) => ids.map(statusOf)) {
  const time = createVirtualTime();
  const asked: [string, readonly string[]][] = [];
  const polls: number[] = [];
  const apart: string[] = [];
  const meter: Meter = createMeter();
  const statuses = createStatuses({
    businessUnit: (mid) => ({
      async taskStatuses(ids) {
        asked.push([mid, ids]);
        meter.onCall({ requests: 1 } as never);
        return answer(ids);
      },
    }),
    meter,
    clock: time.process(),
    gatherMs: 20,
    onAsked: (count) => polls.push(count),
    onApart: (mid) => apart.push(mid),
  });
  /** As a poll asks: its calls are counted for itself. */
  async function poll(mid: string, taskId: string) {
    const tally: Tally = { calls: 0 };
    const found = await meter
      .during(tally, () => statuses.ask(mid, taskId))
      .catch((error: unknown) => String(error));
    return { found, calls: tally.calls };
  }
  return { time, asked, polls, apart, poll, expect: statuses.expect };
}

test('polls of one business unit that are due together share a call, and its cost', async () => {
  const { time, asked, polls, poll } = open();
  const [a, b, other] = [poll('1', 'a'), poll('1', 'b'), poll('2', 'c')];
  await time.run(10);
  const late = poll('1', 'd');
  await time.run(20);
  expect(asked).toEqual([
    ['1', ['a', 'b', 'd']],
    ['2', ['c']],
  ]);
  expect(await a).toEqual({ found: statusOf('a'), calls: 1 / 3 });
  expect(await b).toEqual({ found: statusOf('b'), calls: 1 / 3 });
  expect((await late).calls).toBe(1 / 3);
  expect((await other).calls).toBe(1);
  expect(polls).toEqual([3, 1]);
});

test.each([0, 1])('of two answers for one task the one that says the end counts', async (first) => {
  const answers = [
    { ...statusOf('a'), status: 'Complete' },
    { ...statusOf('a'), status: 'Queued' },
  ];
  const { time, poll } = open(() => (first === 0 ? answers : answers.toReversed()));
  const a = poll('1', 'a');
  await time.run(20);
  expect((await a).found).toMatchObject({ status: 'Complete' });
});

test('a hundred do not wait for more, and each gets its own answer', async () => {
  const { time, asked, poll } = open((ids) => ids.filter((id) => id !== 't7').map(statusOf));
  const all = Array.from({ length: 130 }, (_, index) => poll('1', `t${index}`));
  await Promise.all(all.slice(0, 100));
  // The one that was left out is asked for alone.
  expect(asked.map(([, ids]) => ids.length)).toEqual([100, 1]);
  await time.run(20);
  const answers = await Promise.all(all);
  expect(asked.map(([, ids]) => ids.length)).toEqual([100, 1, 30]);
  expect(answers[7]?.found).toBeNull();
  expect(answers[8]?.found).toEqual(statusOf('t8'));
  expect(answers.reduce((sum, { calls }) => sum + calls, 0)).toBeCloseTo(3);
});

test('what fails for all fails for each; one bad task fails alone', async () => {
  const away = open(() => {
    throw refusal('unavailable', 'unknown');
  });
  const both = [away.poll('1', 'a'), away.poll('1', 'b')];
  await away.time.run(20);
  expect((await Promise.all(both)).map(({ found }) => found)).toEqual([
    'MarketingCloudError: fake unavailable',
    'MarketingCloudError: fake unavailable',
  ]);
  const { time, poll } = open((ids) => {
    if (ids.includes('bad')) throw refusal('data');
    return ids.map(statusOf);
  });
  const polls = ['a', 'b', 'bad', 'c'].map((id) => poll('1', id));
  await time.run(20);
  const found = (await Promise.all(polls)).map((each) => each.found);
  expect(found).toEqual([
    statusOf('a'),
    statusOf('b'),
    'MarketingCloudError: fake data',
    statusOf('c'),
  ]);
});

test('whoever asks takes along the polls that come soon, which then ask nothing', async () => {
  const { time, asked, polls, poll, expect: comes } = open();
  comes('1', 'soon', 30_000);
  comes('1', 'later', 60_000);
  comes('2', 'elsewhere', 30_000);
  await time.run(time.now() + 28_000);
  const first = poll('1', 'now');
  await time.run(time.now() + 20);
  expect(asked).toEqual([['1', ['now', 'soon']]]);
  expect(await first).toEqual({ found: statusOf('now'), calls: 1 / 2 });
  await time.run(time.now() + 1_980);
  expect(await poll('1', 'soon')).toEqual({ found: statusOf('soon'), calls: 1 / 2 });
  expect(polls).toEqual([2]);
  // What was kept for a poll is for that one: its next asks again.
  const next = poll('1', 'soon');
  await time.run(time.now() + 20);
  expect((await next).calls).toBe(1);
  expect(asked).toHaveLength(2);
});

test('an answer that is older than a tenth of the wait is paid for and not taken', async () => {
  const { time, asked, poll, expect: comes } = open();
  comes('1', 'late', 10_000);
  await time.run(time.now() + 9_500);
  const first = poll('1', 'now');
  await time.run(time.now() + 20);
  expect((await first).calls).toBe(1 / 2);
  // Past its time, and somebody else asks: what it owes is not forgotten.
  await time.run(time.now() + 5_000);
  const between = poll('1', 'between');
  await time.run(time.now() + 20);
  expect((await between).calls).toBe(1);
  const late = poll('1', 'late');
  await time.run(time.now() + 20);
  expect((await late).calls).toBe(1 / 2 + 1);
  expect(asked.map(([, ids]) => ids)).toEqual([['now', 'late'], ['between'], ['late']]);
});

test('a task that another replica polls is not asked for again and again', async () => {
  const { time, asked, poll, expect: comes } = open();
  comes('1', 'theirs', 10_000);
  await time.run(time.now() + 9_500);
  for (const id of ['a', 'b']) {
    const each = poll('1', id);
    await time.run(time.now() + 20);
    await each;
  }
  await time.run(time.now() + 5_000);
  const last = poll('1', 'c');
  await time.run(time.now() + 20);
  await last;
  expect(asked.map(([, ids]) => ids)).toEqual([['a', 'theirs'], ['b'], ['c']]);
});

test('what was taken along does not make a call fail for who asked', async () => {
  const {
    time,
    asked,
    poll,
    expect: comes,
  } = open((ids) => {
    if (ids.includes('bad')) throw refusal('data');
    return ids.map(statusOf);
  });
  comes('1', 'bad', 10_000);
  await time.run(time.now() + 9_500);
  const first = poll('1', 'now');
  await time.run(time.now() + 20);
  expect(await first).toEqual({ found: statusOf('now'), calls: 2 });
  expect(asked.map(([, ids]) => ids)).toEqual([['now', 'bad'], ['now']]);
});

test('a poll that comes while it is asked for asks for itself; the others pay for the call', async () => {
  let answer = (): void => {};
  const slow = new Promise<void>((resolve) => (answer = resolve));
  const {
    time,
    asked,
    poll,
    expect: comes,
  } = open(async (ids) => {
    if (ids.includes('now')) await slow;
    return ids.map(statusOf);
  });
  comes('1', 'soon', 10_000);
  await time.run(time.now() + 9_500);
  const first = poll('1', 'now');
  await time.run(time.now() + 20);
  const soon = poll('1', 'soon');
  await time.run(time.now() + 20);
  expect((await soon).calls).toBe(1);
  answer();
  expect((await first).calls).toBe(1);
  expect(asked.map(([, ids]) => ids)).toEqual([['now', 'soon'], ['soon']]);
});

test('a task that IN leaves out is asked for alone; where that finds it, IN is not used for an hour', async () => {
  const { time, asked, poll, apart } = open((ids) => ids.slice(0, 1).map(statusOf));
  const first = [poll('1', 'a'), poll('1', 'b'), poll('1', 'c')];
  await time.run(20);
  expect(await Promise.all(first)).toEqual([
    { found: statusOf('a'), calls: 1 / 3 },
    { found: statusOf('b'), calls: 4 / 3 },
    { found: statusOf('c'), calls: 4 / 3 },
  ]);
  expect(apart).toEqual(['1']);
  const second = [poll('1', 'a'), poll('1', 'b')];
  await time.run(60);
  await Promise.all(second);
  expect(asked.slice(3)).toEqual([
    ['1', ['a']],
    ['1', ['b']],
  ]);
  await time.run(3_600_060);
  const third = [poll('1', 'a'), poll('1', 'b')];
  await time.run(3_600_100);
  await Promise.all(third);
  expect(asked[5]).toEqual(['1', ['a', 'b']]);
});

test('a task that nobody knows is no reason to give IN up', async () => {
  const { time, asked, poll, apart } = open((ids) => ids.filter((id) => id !== 'b').map(statusOf));
  const both = [poll('1', 'a'), poll('1', 'b')];
  await time.run(20);
  expect((await Promise.all(both)).map(({ found }) => found)).toEqual([statusOf('a'), null]);
  expect(asked.map(([, ids]) => ids)).toEqual([['a', 'b'], ['b']]);
  expect(apart).toEqual([]);
});
