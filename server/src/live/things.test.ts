import type { Thing } from '@millrace/workload-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Place, connect, createPlace, isLive } from '../../test/live.ts';
import { createThings } from './things.ts';
import { createTopics } from './topics.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place.close());

/** A replica with runs that a test changes. */
async function start(statuses: Map<string, string>, name = 'r1') {
  const topics = createTopics();
  const thing = (id: string): Thing => ({
    id,
    tenant: id.startsWith('acme') ? 'acme' : '',
    submitter: null,
    event: { type: 'run', run: { id, status: statuses.get(id) } },
  });
  const read = async (ids: readonly string[]) => ids.filter((id) => statuses.has(id)).map(thing);
  const things = createThings(
    new Map([['run', { read, present: () => read([...statuses.keys()]) }]]),
  );
  return { replica: await place.start(name, { topics, things }), topics };
}

const told = (events: readonly unknown[]): string[] =>
  events.flatMap((event) => {
    const { type, run } = event as { type: string; run?: { id: string; status: string } };
    return type === 'run' ? [`${run?.id} ${run?.status}`] : type === 'more' ? ['more'] : [];
  });

test('a stream of runs is told those that live, then each as it changes in any replica', async () => {
  const statuses = new Map([
    ['run-1', 'running'],
    ['acme-1', 'queued'],
  ]);
  const { replica } = await start(statuses);
  const { topics: there } = await start(statuses, 'r2');
  const reader = await connect(replica.url, { topics: 'run' });
  const ofAcme = await connect(replica.url, { topics: 'run', tenant: 'acme' });
  const one = await connect(replica.url, { topics: 'run', id: 'run-1' });
  const ofJobs = await connect(replica.url, { topics: 'job' });
  for (const each of [reader, ofAcme, one, ofJobs]) await each.until(isLive);
  expect(told(reader.events)).toEqual(['run-1 running', 'acme-1 queued']);
  expect(told(ofAcme.events)).toEqual(['acme-1 queued']);
  expect(told(one.events)).toEqual(['run-1 running']);

  statuses.set('run-1', 'ready');
  there.live.announce('run', 'run-1');
  there.live.announce('run', 'gone-1');
  await replica.enqueue();
  await place.run(200);
  for (const each of [reader, one])
    await each.until(() => told(each.events).includes('run-1 ready'));
  await ofJobs.until(({ type }) => type === 'job');
  expect(told(one.events)).toEqual(['run-1 running', 'run-1 ready']);
  expect(told(ofAcme.events)).toEqual(['acme-1 queued']);
  expect(told(ofJobs.events)).toEqual([]);
  expect(reader.events.filter(({ type }) => type === 'job')).toEqual([]);
});
