import { expect, it } from 'vitest';
import { createWorld, work } from '../test/world.ts';
import { createEvents } from './events.ts';

it('calls those who listen, until they stop', () => {
  const events = createEvents();
  const heard: unknown[] = [];
  const stop = events.on('retention.pruned', ({ count }) => heard.push(count));
  const stopAny = events.onAny((name, event) => heard.push([name, event]));
  events.emit('retention.pruned', { count: 1 });
  events.emit('settle.flushed', { size: 9 });
  expect(heard).toEqual([1, ['retention.pruned', { count: 1 }], ['settle.flushed', { size: 9 }]]);
  stop();
  stopAny();
  events.emit('retention.pruned', { count: 2 });
  expect(heard).toHaveLength(3);
});

it('knows whether anyone would hear', () => {
  const events = createEvents();
  expect(events.wants('job.started')).toBe(false);
  const stop = events.on('job.started', () => {});
  expect(events.wants('job.started')).toBe(true);
  expect(events.wants('job.succeeded')).toBe(false);
  stop();
  expect(events.wants('job.started')).toBe(false);
  events.onAny(() => {});
  expect(events.wants('job.succeeded')).toBe(true);
});

it('a listener that throws is its own affair: the others hear, and the job ends', async () => {
  const { worker, enqueue, run, job, events, of } = createWorld({ kinds: [work(async () => {})] });
  const heard: string[] = [];
  events.on('job.succeeded', () => {
    throw new Error('no');
  });
  events.onAny(() => {
    throw new Error('no');
  });
  // A rejection that nobody takes would end the process, and fails this file.
  events.on('job.succeeded', () => Promise.reject(new Error('no')));
  events.on('job.succeeded', ({ id }) => heard.push(id));
  worker.start();
  const id = await enqueue();
  await run(10);
  expect(await job(id)).toMatchObject({ state: 'SUCCEEDED' });
  expect(heard).toEqual([id]);
  expect(of('job.succeeded')).toHaveLength(1);
});

it('one who stops listening while being called disturbs nobody', () => {
  const events = createEvents();
  const heard: string[] = [];
  const stop = events.on('retention.pruned', () => {
    stop();
    heard.push('first');
  });
  events.on('retention.pruned', () => heard.push('second'));
  events.emit('retention.pruned', { count: 1 });
  events.emit('retention.pruned', { count: 1 });
  expect(heard).toEqual(['first', 'second', 'second']);
});
