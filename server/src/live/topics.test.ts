import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Place, connect, createPlace, isLive } from '../../test/live.ts';
import { createTopics } from './topics.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place.close());

test('who listens in another replica hears of things that changed, and streams of jobs do not', async () => {
  const [here, there] = [createTopics(), createTopics()];
  const first = await place.start('r1', { topics: here });
  await place.start('r2', { topics: there });
  // Nobody has watched for so long that replicas have stopped announcing: listening makes them begin again.
  await place.run(120_000);
  const heard: (readonly string[] | null)[] = [];
  const stop = there.live.listen('run', (ids) => heard.push(ids));
  const reader = await connect(first.url, { topics: 'job' });
  await reader.until(isLive);
  const told = reader.events.length;
  here.live.announce('run', 'run-7');
  here.live.announce('run', 'run-7');
  here.live.announce('letter', 'l-1');
  await place.run(200);
  expect(heard).toEqual([['run-7']]);
  expect(reader.events).toHaveLength(told);
  await place.run(300_000);
  here.live.announce('run', 'run-8');
  await place.run(200);
  expect(heard).toEqual([['run-7'], ['run-8']]);
  stop();
  here.live.announce('run', 'run-9');
  await place.run(200);
  expect(heard).toHaveLength(2);
});

test('who listens is asked to look where announcements were missed', () => {
  const topics = createTopics();
  const heard: (readonly string[] | null)[] = [];
  topics.live.listen('run', (ids) => heard.push(ids));
  topics.heard(null);
  topics.heard(['pg-1', 'letter:1']);
  expect(heard).toEqual([null]);
  // Before there is a hub, nobody can be told, and nobody fails.
  topics.live.announce('run', 'run-1');
});
