import { describe, expect, it } from 'vitest';
import {
  LEASE_MS,
  aloneClaims,
  byName,
  isAlone,
  suspectIn,
  twoPools,
} from '../../test/suspects.ts';
import { later, work } from '../../test/world.ts';
import type { ClaimParams } from '../port.ts';

/** The turn of a suspect: who waits for whom. */

describe('a suspect', () => {
  it('waits until all that runs has ended, in every pool, and nothing begins beside it', async () => {
    const made = twoPools();
    const { worker, enqueue, run, job, begun, end } = made;
    const id = await suspectIn(made);
    await enqueue({ data: 'mine' });
    await enqueue({ kind: 'other', data: 'other' });
    worker.start();
    await run(1_000);
    expect(begun).toEqual(['mine', 'other']);
    await enqueue({ data: 'late' });
    end('mine');
    await run(60_000);
    expect(begun).toEqual(['mine', 'other']);
    end('other');
    await run(100);
    expect(begun).toEqual(['mine', 'other', 'suspect']);
    await enqueue({ kind: 'other', data: 'later still' });
    await run(60_000);
    expect(begun).toEqual(['mine', 'other', 'suspect']);
    end('suspect');
    await run(100);
    expect(begun).toEqual(['mine', 'other', 'suspect', 'late', 'later still']);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
  });

  it('waits for a claim that is on its way, and for what it brings', async () => {
    const answer = later();
    const made = twoPools({
      wrap: (store) => ({
        ...store,
        async claim(params) {
          const claimed = await store.claim(params);
          const isSlow =
            params.worker === 'w1' && claimed.jobs.some(({ kind }) => kind === 'other');
          if (isSlow) await answer.promise;
          return claimed;
        },
      }),
    });
    const { worker, enqueue, run, begun, end } = made;
    await suspectIn(made);
    await enqueue({ kind: 'other', data: 'other' });
    worker.start();
    await run(5_000);
    expect(begun).toEqual([]);
    answer.resolve();
    await run(100);
    expect(begun).toEqual(['other']);
    end('other');
    await run(100);
    expect(begun).toEqual(['other', 'suspect']);
  });

  it('is claimed under a number of its own, by the pool that has its kind, one at a time', async () => {
    const made = twoPools();
    await made.enqueue({ data: 'second' });
    await suspectIn(made);
    made.worker.start();
    await made.run(1_000);
    expect(made.begun).toEqual(['second']);
    expect(aloneClaims(made.line.calls)).toMatchObject([
      { worker: 'w1', limit: 1, wants: [{ kind: 'work' }], leaseMs: LEASE_MS },
    ]);
    const numbers = made.line.calls
      .filter(({ verb }) => verb === 'claim')
      .map(({ params }) => (params as ClaimParams).claim);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});

describe('what runs when a suspect waits', () => {
  /** In chunks: each ends when the test says so. Data says where it went on from. */
  function inChunks() {
    const cursors: unknown[] = [];
    const steps = [later(), later(), later()];
    const kind = work(
      async function* ({ cursor }) {
        cursors.push(cursor);
        for (let n = typeof cursor === 'number' ? cursor : 0; n < steps.length; n++) {
          await steps[n]?.promise;
          yield { cursor: n + 1 };
        }
      },
      { kind: 'other', timeout: '1d' },
    );
    return { kind, cursors, next: (n: number) => steps[n]?.resolve() };
  }

  it('yields at its next chunk, uses no attempt, and goes on from its cursor', async () => {
    const { kind, cursors, next } = inChunks();
    const plain = byName();
    const made = twoPools({ kinds: [work(plain.handler, { timeout: '1d' }), kind] });
    const { worker, enqueue, run, job, of } = made;
    await suspectIn({ ...made, begun: plain.begun });
    const id = await enqueue({ kind: 'other' });
    worker.start();
    await run(10_000);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING' });
    next(0);
    await run(100);
    expect(await job(id)).toMatchObject({ state: 'QUEUED', cursor: '1', attempt: 0 });
    expect(of('job.handedBack').filter((event) => event.id === id)).toHaveLength(1);
    expect(plain.begun).toEqual(['suspect']);
    plain.end('suspect');
    await run(100);
    expect(cursors).toEqual([null, 1]);
    next(1);
    next(2);
    await run(60_000);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', cursor: '3', attempt: 1 });
  });

  it('and does not work in chunks is left to end: nobody aborts it', async () => {
    const signals: AbortSignal[] = [];
    const end = later();
    const made = twoPools({
      kinds: [
        work(
          ({ data }, { signal }) => {
            if (data === 'mine') signals.push(signal);
            return end.promise;
          },
          { timeout: '1d' },
        ),
        work(async () => {}, { kind: 'other' }),
      ],
    });
    const { worker, enqueue, run, job } = made;
    const suspect = await suspectIn(made);
    const id = await enqueue({ data: 'mine' });
    worker.start();
    await run(60_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    expect(await job(suspect), 'claimed, and not begun').toMatchObject({ state: 'PROCESSING' });
    end.resolve();
    await run(100);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
    expect(await job(suspect)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
  });
});

it('a suspect whose cursor moves on is none any more: the others claim while it still runs', async () => {
  const steps = [later(), later()];
  let executions = 0;
  const others: unknown[] = [];
  const made = twoPools({
    kinds: [
      work(
        async function* () {
          executions += 1;
          if (executions === 1) await later().promise;
          for (const [n, step] of steps.entries()) {
            await step.promise;
            yield { cursor: n };
          }
        },
        { timeout: '1d' },
      ),
      work(async ({ data }) => void others.push(data), { kind: 'other' }),
    ],
  });
  const { worker, enqueue, run, job, store } = made;
  const id = await suspectIn(made);
  worker.start();
  await run(100);
  await enqueue({ kind: 'other', data: 'other' });
  await run(60_000);
  expect(others).toEqual([]);
  steps[0]?.resolve();
  await run(100);
  expect(others).toEqual(['other']);
  expect(await job(id)).toMatchObject({ state: 'PROCESSING', cursor: '0' });
  expect(await store.inspect({ id })).toMatchObject({ suspect: false });
  steps[1]?.resolve();
  await run(100);
  expect(await job(id)).toMatchObject({ state: 'SUCCEEDED' });
});

describe('after a turn', () => {
  async function twoSuspects() {
    const made = twoPools();
    await made.enqueue({ data: 'first' });
    await suspectIn(made);
    made.worker.start();
    await made.run(100);
    expect(made.begun).toEqual(['first']);
    return made;
  }

  it('the others have at least as long a time as it took, and then the next follows at once', async () => {
    const { enqueue, run, begun, end } = await twoSuspects();
    await run(20_000);
    await enqueue({ kind: 'other', data: 'other' });
    end('first');
    await run(100);
    expect(begun).toEqual(['first', 'other']);
    // Within that time others still begin …
    await run(15_000);
    await enqueue({ kind: 'other', data: 'one more' });
    await run(100);
    expect(begun).toEqual(['first', 'other', 'one more']);
    // … and after it none does, until the suspect has had its turn. No hint and no interval wakes the pool.
    await run(10_000);
    await enqueue({ kind: 'other', data: 'late' });
    await run(100);
    expect(begun).toEqual(['first', 'other', 'one more']);
    end('other');
    end('one more');
    await run(500);
    expect(begun).toEqual(['first', 'other', 'one more', 'suspect']);
  });

  it('the next follows at once where there are no others', async () => {
    const { run, begun, end } = await twoSuspects();
    await run(20_000);
    end('first');
    await run(500);
    expect(begun).toEqual(['first', 'suspect']);
  });

  it('forty suspects that are done at once are done in seconds', async () => {
    const made = twoPools({
      kinds: [work(async () => {}), work(async () => {}, { kind: 'other' })],
    });
    made.line.away.add('settle');
    for (let n = 0; n < 39; n++) await made.enqueue();
    const dying = made.join('dying', {
      lease: LEASE_MS,
      pools: [{ name: 'all', batch: 40, concurrency: 40 }],
    });
    dying.line.away.add('settle');
    await made.enqueue();
    dying.worker.start();
    await made.run(10);
    dying.clock.kill();
    await made.run(LEASE_MS);
    made.line.away.clear();
    made.worker.start();
    await made.run(10_000);
    expect(await made.queue.counts()).toMatchObject([{ state: 'SUCCEEDED', count: 40 }]);
    expect(made.worker.status().totals.takenOver).toBe(40);
  });

  it('in which another worker had the suspect, a while passes before the next', async () => {
    const made = twoPools({
      wrap: (store) => ({
        ...store,
        async claim(params) {
          const claimed = await store.claim(params);
          return { ...claimed, suspects: params.worker === 'w1' && !isAlone(params) };
        },
      }),
    });
    made.worker.start();
    await made.run(10_000);
    expect(aloneClaims(made.line.calls).length).toBeGreaterThan(5);
    expect(aloneClaims(made.line.calls).length).toBeLessThan(12);
  });
});
