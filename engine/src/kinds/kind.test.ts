import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type JobDefinition, defineJob, keepOf } from './kind.ts';
import { RETRY } from './retry.ts';

const DAY_MS = 86_400_000;

function define(changes: Partial<JobDefinition<unknown>> = {}) {
  return defineJob({ kind: 'work', input: z.unknown(), run: async () => {}, ...changes });
}

it('has a default for everything that is not said', () => {
  expect(define()).toMatchObject({
    retry: RETRY.standard,
    maxAttempts: 4,
    timeoutMs: 600_000,
    shutdownGraceMs: Infinity,
    concurrency: Number.MAX_SAFE_INTEGER,
    quota: { queued: null, running: null },
    public: false,
    purgePayload: false,
    hasCleanup: false,
    keep: { SUCCEEDED: 7 * DAY_MS, FAILED: 30 * DAY_MS, CANCELED: 7 * DAY_MS },
  });
});

it('keeps what is said', () => {
  const cleanup = async () => {};
  expect(
    define({
      retry: RETRY.chunks,
      timeout: '90s',
      shutdownGrace: '10s',
      concurrency: 3,
      quota: { queued: 5, running: 0 },
      public: true,
      purgePayload: true,
      cleanup,
      retention: { failed: '1d' },
    }),
  ).toMatchObject({
    maxAttempts: 4,
    timeoutMs: 90_000,
    shutdownGraceMs: 10_000,
    concurrency: 3,
    quota: { queued: 5, running: 0 },
    public: true,
    purgePayload: true,
    hasCleanup: true,
    cleanup,
    keep: { SUCCEEDED: 7 * DAY_MS, FAILED: DAY_MS },
  });
});

describe('the name', () => {
  it.each(['a', 'report.monthly', 'poll-shell-query', 'v2_x.y-z'])('%s', (kind) => {
    expect(define({ kind }).kind).toBe(kind);
  });

  it.each(['', 'Report', '2x', 'a..b', 'a.', '.a', 'a b', 'ä', 'a'.repeat(101)])(
    'never %j',
    (kind) => {
      expect(() => define({ kind })).toThrow(
        expect.objectContaining({ code: 'invalid_definition' }),
      );
    },
  );

  it('never none', () => {
    const kind: unknown = undefined;
    expect(() => define({ kind: kind as string })).toThrow('"undefined" cannot be a kind.');
  });
});

describe('numbers that no store or worker could follow', () => {
  it.each<[Partial<JobDefinition<unknown>>, string]>([
    [{ concurrency: 0 }, 'concurrency'],
    [{ concurrency: 1.5 }, 'concurrency'],
    [{ concurrency: NaN }, 'concurrency'],
    [{ timeout: 0 }, 'timeout'],
    [{ timeout: '5 m' }, 'timeout'],
    [{ quota: { running: -1 } }, 'quota.running'],
    [{ quota: { queued: 0.5 } }, 'quota.queued'],
    [{ retention: { failed: 'long' as never } }, 'retention'],
    [{ retry: { backoff: 'steps', delays: ['1 m'] } }, 'retry.delays[0]'],
    [{ input: { name: 'text' } as never }, 'input'],
    [{ run: 'later' as never }, 'run'],
  ])('%j are refused with their field', (changes, field) => {
    expect(() => define(changes)).toThrow(expect.objectContaining({ code: 'invalid_definition' }));
    expect(() => define(changes)).toThrow(`The kind "work", ${field}: `);
  });
});

describe('a field that there is not', () => {
  it.each<[object, string]>([
    [{ retrys: 3 }, 'retrys: there is no such field. Did you mean "retry"?'],
    [{ timout: '5m' }, 'timout: there is no such field. Did you mean "timeout"?'],
    [{ quota: { runing: 2 } }, 'quota.runing: there is no such field. Did you mean "running"?'],
    [
      { retention: { done: '7d' } },
      'retention.done: there is no such field. There are succeeded, failed, canceled.',
    ],
  ])('%j is refused with the one that was meant', (changes, said) => {
    expect(() => define(changes)).toThrow(
      expect.objectContaining({ code: 'invalid_definition', message: `The kind "work", ${said}` }),
    );
  });
});

it('keeps for ever as long as a database can count', () => {
  expect(keepOf({ succeeded: Infinity }).SUCCEEDED).toBe(100 * 365 * DAY_MS);
});
