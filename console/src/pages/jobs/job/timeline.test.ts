import { expect, test } from 'vitest';
import type { Job } from './job.ts';
import { timeline } from './timeline.ts';

const T = Date.parse('2026-11-17T09:00:00.000Z');
const at = (minutes: number): string => new Date(T + minutes * 60_000).toISOString();
const execution = (from: number, to: number, outcome: 'retried' | 'lost' | 'failed') =>
  ({ startedAt: at(from), endedAt: at(to), outcome }) as Job['executions'][number];

function job(more: Partial<Job>): Job {
  return {
    state: 'QUEUED',
    createdAt: at(0),
    runAt: at(0),
    startedAt: null,
    finishedAt: null,
    executions: [],
    ...more,
  } as Job;
}

const places = ({ rows }: ReturnType<typeof timeline>) =>
  rows.map(({ label, bars }) => [label, ...bars.map(({ of, from, to }) => `${of} ${from}–${to}`)]);

test('a job that waits to be tried again: what ran, what was lost, until when it waits, and where now is', () => {
  const shown = timeline(
    job({
      runAt: at(10),
      executions: [execution(1, 3, 'lost'), execution(4, 5, 'retried')],
    }),
    T + 8 * 60_000,
  );
  expect(places(shown)).toEqual([
    ['Waiting', 'waiting 0–0.1'],
    ['1', 'lost 0.1–0.3', 'backoff 0.3–0.4'],
    ['2', 'run 0.4–0.5', 'backoff 0.5–1'],
  ]);
  expect(shown.now).toBe(0.8);
  expect(shown.ticks.map(({ at: moment }) => new Date(moment).toISOString())).toEqual(
    [0, 2, 4, 6, 8, 10].map(at),
  );
});

test('between a failure for good and a retry by hand, nothing waits', () => {
  const shown = timeline(
    job({
      state: 'FAILED',
      startedAt: at(9),
      finishedAt: at(10),
      executions: [execution(0, 1, 'failed'), execution(9, 10, 'failed')],
    }),
    T + 20 * 60_000,
  );
  expect(places(shown)).toEqual([
    ['1', 'run 0–0.1'],
    ['2', 'run 0.9–1'],
  ]);
});

test('a job that runs ends with now; one that is over, with its end', () => {
  const running = timeline(job({ state: 'PROCESSING', startedAt: at(2) }), T + 4 * 60_000);
  expect(places(running)).toEqual([
    ['Waiting', 'waiting 0–0.5'],
    ['Running', 'running 0.5–1'],
  ]);
  expect(running.now).toBeNull();
  const over = timeline(
    job({ state: 'SUCCEEDED', startedAt: at(2), finishedAt: at(4) }),
    T + 99 * 60_000,
  );
  expect(places(over).at(-1)).toEqual(['Last', 'run 0.5–1']);
  expect(over.now).toBeNull();
});
