import { describe, expect, it } from 'vitest';
import { runOnce } from '../../test/run-once.ts';
import type { KeepLog } from '../kinds/kind.ts';
import { done } from '../kinds/outcome.ts';

describe('what an execution logs is kept as its kind says', () => {
  it.each<[KeepLog | undefined, boolean, number]>([
    [undefined, true, 0],
    [undefined, false, 2],
    ['failed', true, 0],
    ['all', true, 1],
    ['all', false, 2],
    ['off', true, 0],
    ['off', false, 0],
  ])('keepLog %s, well %s: %i lines', async (keepLog, isWell, lines) => {
    const { ended } = await runOnce(
      async (_, { log }) => {
        log.info({}, 'begun');
        if (!isWell) throw new Error('no');
        return done();
      },
      { retry: { backoff: 'steps', delays: [] }, ...(keepLog !== undefined && { keepLog }) },
    );
    expect(ended.state).toBe(isWell ? 'SUCCEEDED' : 'FAILED');
    expect(ended.executions.flatMap(({ log }) => log ?? [])).toHaveLength(lines);
  });

  it('refuses what is none of them', async () => {
    await expect(runOnce(async () => done(), { keepLog: 'some' as never })).rejects.toThrow(
      'keepLog: this is not possible.',
    );
  });
});

describe('a step', () => {
  it('gives what its work gives, and is logged with its name and time', async () => {
    const { ended } = await runOnce(
      async (_, { step, log }) => {
        const rows = await step('read the rows', async () => 7);
        log.info({ rows }, 'read');
        return done(rows);
      },
      { keepLog: 'all' },
    );
    expect(ended.result).toBe('7');
    expect(ended.executions).toMatchObject([
      {
        outcome: 'succeeded',
        log: [
          { message: 'read the rows took 0 ms', step: { name: 'read the rows', ms: 0 } },
          { message: 'read rows=7' },
        ],
      },
    ]);
  });

  it('that throws fails its job, and says how long it took', async () => {
    const { ended } = await runOnce(
      (_, { step }) =>
        step('send', async () => {
          throw new RangeError('too far');
        }),
      { retry: { backoff: 'steps', delays: [] } },
    );
    expect(ended.error).toMatchObject({ message: 'RangeError: too far' });
    expect(ended.executions[0]?.log?.[0]).toMatchObject({
      level: 'warn',
      step: { name: 'send', ms: 0 },
    });
  });
});
