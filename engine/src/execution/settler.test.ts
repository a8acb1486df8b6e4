import { describe, expect, it } from 'vitest';
import { type Write, agrees, refusing, settlingWorld as world } from '../../test/settling.ts';
import { later } from '../../test/world.ts';
import { MillraceError, StoreUnavailable } from '../errors.ts';

const refusesPoison = refusing(
  'poison',
  new MillraceError('invalid_text', 'half of a surrogate pair'),
);

/** Of `held` it cannot tell anything, so many times. */
function holds(held: string, times: number): Write {
  let left = times;
  return async (settlements) => {
    left -= 1;
    if (left < 0) return agrees(settlements);
    const unknown = new StoreUnavailable('someone holds the row');
    if (settlements.every(({ job }) => job.id === held)) throw unknown;
    return settlements.map(({ job }) => (job.id === held ? { unknown } : 'settled'));
  };
}

describe('one of which the store knows nothing', () => {
  it('is asked about again alone; the others have their answers at once', async () => {
    const { settle, run, batches, answers, failures, settler } = world(holds('b', 3));
    for (const id of ['a', 'b', 'c']) settle(id);
    await run(0);
    expect([...answers.keys()]).toEqual(['a', 'c']);
    expect([...settler.unanswered()].map(({ job }) => job.id)).toEqual(['b']);
    expect(settler.pending()).toBe(1);
    await run(1_000);
    expect(batches).toEqual([['a', 'b', 'c'], ['b'], ['b'], ['b']]);
    expect(answers.get('b')).toBe('settled');
    expect(failures).toHaveLength(3);
    expect(settler.pending()).toBe(0);
  });

  it('holds up nobody who comes after it', async () => {
    const { settle, run, answers } = world(holds('b', 100));
    for (const id of ['a', 'b']) settle(id);
    await run(60);
    settle('c');
    await run(0);
    expect(answers.get('a')).toBe('settled');
    expect(answers.has('b')).toBe(false);
    settle('d');
    await run(10);
    expect([...answers.keys()]).toEqual(['a', 'c', 'd']);
  });

  it('is given up when the worker ends', async () => {
    const { settle, run, answers, settler } = world(holds('b', 100));
    for (const id of ['a', 'b']) settle(id);
    await run(0);
    const flushed = settler.flushed(500);
    await run(10_000);
    await flushed;
    expect(answers.get('b')).toBe('stale');
  });
});

describe('outcomes are written together', () => {
  it('those of one turn in one write', async () => {
    const { settle, run, batches, answers } = world();
    for (const id of ['a', 'b', 'c']) settle(id);
    await run(0);
    expect(batches).toEqual([['a', 'b', 'c']]);
    expect([...answers]).toEqual([
      ['a', 'settled'],
      ['b', 'settled'],
      ['c', 'settled'],
    ]);
  });

  it('those that come during a write in the next', async () => {
    const first = later();
    const { settle, run, batches, line, settler } = world(async (settlements) => {
      await first.promise;
      return agrees(settlements);
    });
    settle('a');
    await run(0);
    settle('b');
    settle('c');
    await run(10);
    expect(batches).toEqual([['a']]);
    expect(settler.pending()).toBe(3);
    line.write = agrees;
    first.resolve();
    await run(0);
    expect(batches).toEqual([['a'], ['b', 'c']]);
    expect(settler.pending()).toBe(0);
  });

  it('those of a while, where the store asks for it', async () => {
    const { settle, run, batches } = world(agrees, { gatherMs: 500 });
    settle('a');
    await run(499);
    settle('b');
    expect(batches).toEqual([]);
    await run(1);
    expect(batches).toEqual([['a', 'b']]);
    settle('c');
    await run(499);
    expect(batches).toHaveLength(1);
    await run(1);
    expect(batches).toEqual([['a', 'b'], ['c']]);
  });

  it('those of a while also after a write that others waited for', async () => {
    const first = later();
    const { settle, run, batches, line } = world(
      async (settlements) => {
        await first.promise;
        return agrees(settlements);
      },
      { gatherMs: 500 },
    );
    settle('a');
    await run(500);
    settle('b');
    line.write = agrees;
    first.resolve();
    await run(499);
    settle('c');
    expect(batches).toEqual([['a']]);
    await run(1);
    expect(batches).toEqual([['a'], ['b', 'c']]);
  });

  it('by the thousand, two writes at a time', async () => {
    const gate = later();
    const { settle, run, batches } = world(async (settlements) => {
      await gate.promise;
      return agrees(settlements);
    });
    for (let n = 0; n < 3_500; n++) settle(`j${n}`);
    await run(0);
    expect(batches.map((batch) => batch.length)).toEqual([1_000, 1_000]);
    gate.resolve();
    await run(0);
    expect(batches.map((batch) => batch.length)).toEqual([1_000, 1_000, 1_000, 500]);
  });
});

describe('one bad outcome', () => {
  it('stands alone in the end, and is FAILED; the others are written as they are', async () => {
    const { settle, run, answers, batches, line } = world(refusesPoison);
    for (let n = 0; n < 8; n++) settle(`j${n}`, n === 5 ? 'poison' : '1');
    await run(0);
    const { j5, ...others } = Object.fromEntries(answers);
    expect(new Set(Object.values(others))).toEqual(new Set(['settled']));
    expect(j5).toEqual({
      code: 'result_unstorable',
      message: 'The store refused the outcome: half of a surrogate pair',
      retryable: false,
    });
    expect(batches).toEqual([
      ['j0', 'j1', 'j2', 'j3', 'j4', 'j5', 'j6', 'j7'],
      ['j0', 'j1', 'j2', 'j3'],
      ['j4', 'j5', 'j6', 'j7'],
      ['j4', 'j5'],
      ['j4'],
      ['j5'],
      ['j5'],
      ['j6', 'j7'],
    ]);
    expect(line.write).toBe(refusesPoison);
  });

  it('that is refused even as a failure is left to its lease', async () => {
    const { settle, run, answers, failures, settler } = world(async () => {
      throw new MillraceError('invalid_text', 'no');
    });
    settle('a');
    await run(0);
    expect([...answers]).toEqual([['a', 'stale']]);
    expect(failures).toHaveLength(1);
    expect(settler.pending()).toBe(0);
  });

  it('whose job is another’s by now is stale, not failed', async () => {
    const { settle, run, answers } = world(async (settlements) => {
      await refusesPoison(settlements);
      return settlements.map(() => 'stale');
    });
    settle('a', 'poison');
    await run(0);
    expect([...answers]).toEqual([['a', 'stale']]);
  });
});

describe('a store that is away', () => {
  it('is asked again, ever less often, and may say "already" in the end', async () => {
    const times: number[] = [];
    const { time, settle, run, answers, line, failures, recoveries } = world(async () => {
      times.push(time.now());
      throw new StoreUnavailable('away');
    });
    settle('a');
    await run(30_000);
    expect(times.slice(0, 8)).toEqual([0, 50, 150, 350, 750, 1_550, 3_150, 6_350]);
    expect(times.slice(-2).reduce((first, second) => second - first, 0)).toBeGreaterThan(0);
    expect(Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)))).toBe(5_000);
    expect(failures.length).toBe(times.length);
    expect(answers.size).toBe(0);
    line.write = async (settlements) => settlements.map(() => 'already');
    await run(5_000);
    expect([...answers]).toEqual([['a', 'already']]);
    expect(recoveries).toEqual([{ during: 'settle' }]);
  });

  it('loses nothing, and nothing is written twice', async () => {
    const { settle, run, batches, line, answers } = world(async () => {
      throw new StoreUnavailable('away');
    });
    for (const id of ['a', 'b']) settle(id);
    await run(1_000);
    settle('c');
    batches.length = 0;
    line.write = agrees;
    await run(5_000);
    expect(batches).toEqual([['a', 'b'], ['c']]);
    expect(answers.size).toBe(3);
  });
});

describe('backpressure', () => {
  it('is felt at 10,000 outcomes, and reported once there is room', async () => {
    const gate = later();
    const { settle, run, settler } = world(async (settlements) => {
      await gate.promise;
      return agrees(settlements);
    });
    let calls = 0;
    settler.onRoom(() => (calls += 1));
    for (let n = 0; n < 9_999; n++) settle(`j${n}`);
    expect(settler.isFull()).toBe(false);
    settle('last');
    expect(settler.isFull()).toBe(true);
    await run(0);
    expect(calls).toBe(0);
    gate.resolve();
    await run(0);
    expect(settler.isFull()).toBe(false);
    expect(calls).toBe(1);
  });
});

describe('flushed', () => {
  it('is so at once when nothing waits', async () => {
    await world().settler.flushed(1_000);
  });

  it('comes when the last is answered, without a timer left', async () => {
    const gate = later();
    const { settle, run, settler, time } = world(async (settlements) => {
      await gate.promise;
      return agrees(settlements);
    });
    settle('a');
    await run(0);
    let at: number | null = null;
    void settler.flushed(60_000).then(() => (at = time.now()));
    await run(100);
    expect(at).toBeNull();
    gate.resolve();
    await run(0);
    expect(at).toBe(100);
  });

  it.each<[string, Write]>([
    [
      'away for ever',
      async () => {
        throw new StoreUnavailable('away');
      },
    ],
    ['silent for ever', () => new Promise(() => {})],
  ])('gives a store up that is %s', async (_, write) => {
    const { settle, run, settler, time, batches } = world(write);
    settle('a');
    await run(0);
    let at: number | null = null;
    void settler.flushed(60_000).then(() => (at = time.now()));
    await run(70_000);
    expect(at).toBe(60_000);
    const asked = batches.length;
    await run(600_000);
    expect(batches.length).toBe(asked);
  });

  it('once given up does not mean for ever: a worker may start again', async () => {
    const { settle, run, settler, answers, line } = world(async () => {
      throw new StoreUnavailable('away');
    });
    settle('a');
    await run(0);
    void settler.flushed(1_000);
    await run(10_000);
    expect([...answers]).toEqual([['a', 'stale']]);
    settle('b');
    await run(10_000);
    line.write = agrees;
    await run(10_000);
    expect(answers.get('b')).toBe('settled');
  });
});
