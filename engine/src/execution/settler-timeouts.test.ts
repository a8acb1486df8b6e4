import { describe, expect, it } from 'vitest';
import {
  type Write,
  agrees,
  refusing,
  settlement,
  settlingWorld as world,
} from '../../test/settling.ts';
import { later } from '../../test/world.ts';
import { StoreTimedOut, StoreUnavailable } from '../errors.ts';
import type { SettledOutcome, Store } from '../port.ts';

/** A statement that takes too long writes nothing: how much a batch may hold, and what is done with one that did. */

const MB = 1_000_000;
const well: Partial<Store> = { now: () => Promise.resolve(0) };
const UNSTORABLE = {
  code: 'result_unstorable',
  message: 'The store refused the outcome: too slow',
  retryable: false,
};

const slow = refusing('slow', new StoreTimedOut('too slow'));

describe('a batch holds at most 8 MB', () => {
  const megabyte = 'x'.repeat(MB);
  const failure = { code: 'x', message: '', retryable: true };

  it.each<[string, SettledOutcome]>([
    ['results', { move: 'succeed', result: megabyte, purgePayload: false, effects: [] }],
    ['payloads of a defer', { move: 'defer', payload: megabyte, delayMs: 0 }],
    ['stacks of a failure', { move: 'fail', error: failure, stack: megabyte }],
    [
      'messages',
      { move: 'retry', error: { ...failure, message: megabyte }, stack: null, delayMs: 0 },
    ],
  ])('of %s', async (_, outcome) => {
    const { settle, run, batches } = world();
    for (let n = 0; n < 20; n++) settle(`j${n}`, outcome);
    await run(0);
    expect(batches.map((batch) => batch.length)).toEqual([7, 7, 6]);
  });

  it('of children too', async () => {
    const { settler, run, batches } = world();
    const child = { kind: 'c', payload: megabyte, maxAttempts: 1, tenant: '', priority: null };
    for (let n = 0; n < 4; n++)
      settler.settle({ ...settlement(`j${n}`), children: [child, child, child], answer() {} });
    await run(0);
    expect(batches).toEqual([
      ['j0', 'j1'],
      ['j2', 'j3'],
    ]);
  });

  it('and one that has more by itself goes alone', async () => {
    const { settle, run, batches, answers } = world();
    settle('small');
    settle('large', 'x'.repeat(9 * MB));
    settle('small too');
    await run(0);
    expect(batches).toEqual([['small'], ['large'], ['small too']]);
    expect(answers.size).toBe(3);
  });
});

describe('a batch that times out', () => {
  it('is split down to the one that is too slow, and its neighbours are written', async () => {
    const { settle, run, answers, batches } = world(slow, well);
    for (let n = 0; n < 8; n++) settle(`j${n}`, n === 5 ? 'slow' : '1');
    await run(0);
    expect([...answers.keys()]).toEqual(['j0', 'j1', 'j2', 'j3', 'j4', 'j6', 'j7']);
    expect(new Set(answers.values())).toEqual(new Set(['settled']));
    expect(batches).toEqual([
      ['j0', 'j1', 'j2', 'j3', 'j4', 'j5', 'j6', 'j7'],
      ['j0', 'j1', 'j2', 'j3'],
      ['j4', 'j5', 'j6', 'j7'],
      ['j4', 'j5'],
      ['j4'],
      ['j5'],
      ['j6', 'j7'],
    ]);
  });

  it('because it was large, not because of one, is written in halves', async () => {
    const { settle, run, answers, batches } = world(async (settlements) => {
      if (settlements.length > 4) throw new StoreTimedOut('too slow');
      return agrees(settlements);
    });
    for (let n = 0; n < 16; n++) settle(`j${n}`);
    await run(0);
    expect(batches.map((batch) => batch.length)).toEqual([16, 8, 4, 4, 8, 4, 4]);
    expect(new Set(answers.values())).toEqual(new Set(['settled']));
  });
});

describe('an outcome that is too slow by itself', () => {
  it('is tried again aside, and holds nobody up', async () => {
    const { settle, run, answers, line, settler } = world(slow, well);
    settle('slow', 'slow');
    await run(0);
    settle('next');
    await run(0);
    expect([...answers]).toEqual([['next', 'settled']]);
    expect(settler.pending()).toBe(1);
    line.write = agrees;
    await run(100);
    expect(answers.get('slow')).toBe('settled');
    expect(settler.pending()).toBe(0);
  });

  it('fails after five time-outs on a store that answers otherwise', async () => {
    const times: number[] = [];
    const made = world(async (settlements) => {
      times.push(made.time.now());
      return slow(settlements);
    }, well);
    made.settle('slow', 'slow');
    await made.run(1_499);
    expect(made.answers.size).toBe(0);
    await made.run(1);
    // 100, 200, 400 and 800 ms apart; the last is that of the failure.
    expect(times).toEqual([0, 100, 300, 700, 1_500, 1_500]);
    expect([...made.answers]).toEqual([['slow', UNSTORABLE]]);
    expect(made.settler.pending()).toBe(0);
  });

  it('says so also when the failure times out at first', async () => {
    let failures = 0;
    const { settle, run, answers } = world(async (settlements) => {
      if (settlements.some(({ outcome }) => outcome.move === 'fail')) failures += 1;
      if (failures < 3) throw new StoreTimedOut('too slow');
      return agrees(settlements);
    }, well);
    settle('slow', 'slow');
    await run(10_000);
    expect(failures).toBe(3);
    expect([...answers]).toEqual([['slow', UNSTORABLE]]);
  });

  it.each<[string, Write, unknown]>([
    [
      'is refused even as a failure, is left to its lease',
      async () => Promise.reject(new Error('no')),
      'stale',
    ],
    ['was written all along, gets that answer', async () => ['already'], 'already'],
  ])('and %s', async (_, then, answer) => {
    const { settle, run, answers, line } = world(slow, well);
    settle('slow', 'slow');
    await run(0);
    line.write = then;
    await run(1_000);
    expect([...answers]).toEqual([['slow', answer]]);
  });

  it('is never failed while the store answers nothing at all, and written once it is back', async () => {
    let isAway = true;
    const now = (): Promise<number> =>
      isAway ? Promise.reject(new StoreUnavailable('away')) : Promise.resolve(0);
    const moves = new Set<string>();
    const { settle, run, answers, line, batches } = world(
      async (settlements) => {
        for (const { outcome } of settlements) moves.add(outcome.move);
        throw new StoreTimedOut('too slow');
      },
      { now },
    );
    for (const id of ['a', 'b', 'c']) settle(id);
    await run(3_600_000);
    expect(answers.size).toBe(0);
    expect([...moves]).toEqual(['succeed']);
    // Every 5 s each, not in a busy loop.
    expect(batches.length).toBeLessThan(3 * 750);
    isAway = false;
    line.write = agrees;
    await run(5_000);
    expect([...answers.values()]).toEqual(['settled', 'settled', 'settled']);
  });

  it('is given up with everything else when the worker ends', async () => {
    const { settle, run, settler, answers, batches } = world(async () => {
      throw new StoreTimedOut('too slow');
    });
    settle('slow');
    await run(0);
    void settler.flushed(10_000);
    await run(20_000);
    expect([...answers]).toEqual([['slow', 'stale']]);
    const asked = batches.length;
    await run(600_000);
    expect(batches.length).toBe(asked);
  });
});

describe('what has no answer yet', () => {
  function idsOf({ settler }: ReturnType<typeof world>): string[] {
    return Array.from(settler.unanswered(), ({ job }) => job.id).toSorted();
  }

  it('is what waits and what is under way', async () => {
    const gate = later();
    const made = world(async (settlements) => {
      await gate.promise;
      return agrees(settlements);
    });
    expect(idsOf(made)).toEqual([]);
    made.settle('a');
    expect(idsOf(made)).toEqual(['a']);
    await made.run(0);
    made.settle('b');
    expect(idsOf(made)).toEqual(['a', 'b']);
    gate.resolve();
    await made.run(0);
    expect(idsOf(made)).toEqual([]);
  });

  it('is also the half that waits for the other, and the one that is tried aside', async () => {
    const gate = later();
    const made = world(async (settlements) => {
      if (settlements.length === 4) throw new StoreTimedOut('too slow');
      if (settlements.length === 2) await gate.promise;
      return slow(settlements);
    }, well);
    for (const id of ['a', 'b', 'c']) made.settle(id);
    made.settle('d', 'slow');
    await made.run(0);
    expect(made.batches).toHaveLength(2);
    expect(idsOf(made)).toEqual(['a', 'b', 'c', 'd']);
    gate.resolve();
    await made.run(0);
    expect(idsOf(made)).toEqual(['d']);
    await made.run(10_000);
    expect(made.answers.get('d')).toEqual(UNSTORABLE);
    expect(idsOf(made)).toEqual([]);
  });
});

it('one that throws at its answer keeps no other from theirs', async () => {
  const { settler, settle, run, answers, failures } = world(slow, well);
  const throwing = {
    answer() {
      throw new Error('mine');
    },
  };
  settle('a');
  settler.settle({ ...settlement('b'), ...throwing });
  settle('c');
  settler.settle({ ...settlement('d', 'slow'), ...throwing });
  await run(10_000);
  settle('e');
  await run(0);
  expect([...answers.keys()]).toEqual(['a', 'c', 'e']);
  expect(settler.pending()).toBe(0);
  expect(failures.filter(({ error }) => String(error) === 'Error: mine')).toHaveLength(2);
});
