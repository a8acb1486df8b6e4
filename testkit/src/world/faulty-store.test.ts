import { type NewJob, type Store, StoreUnavailable } from '@millrace/engine';
import { createMemoryStore } from '@millrace/store-memory';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFaultyStore } from './faulty-store.ts';
import { type FaultRates, type Link, NO_FAULTS, createFaultCounts, createLink } from './link.ts';
import { createDice } from '../random.ts';
import { type ProcessClock, type VirtualTime, createVirtualTime } from '../time/virtual-clock.ts';

const TIMEOUT_MS = 1_000;
const JOB: NewJob = { kind: 'plain', payload: '{}', maxAttempts: 1, tenant: '', priority: null };

describe('a store behind a bad line', () => {
  let time: VirtualTime;
  let clock: ProcessClock;
  let store: Store;

  beforeEach(() => {
    time = createVirtualTime();
    clock = time.process();
    store = createMemoryStore({ now: time.now });
  });

  function behind(rates: Partial<FaultRates>): { faulty: Store; link: Link } {
    const link = createLink({
      dice: createDice(1),
      rates: { ...NO_FAULTS, ...rates },
      counts: createFaultCounts(),
      timeoutMs: TIMEOUT_MS,
    });
    return { link, faulty: createFaultyStore({ store, time, clock, link, onFault: () => {} }) };
  }

  /** How a call has ended by now. */
  function watched<T>(call: Promise<T>): { value: T | null; error: unknown } {
    const ended: { value: T | null; error: unknown } = { value: null, error: null };
    call.then(
      (value) => (ended.value = value),
      (error: unknown) => (ended.error = error),
    );
    return ended;
  }

  async function jobs(): Promise<number> {
    return (await store.list({ filter: {}, limit: 10 })).jobs.length;
  }

  it('carries a call there and back in its own time', async () => {
    const call = watched(behind({}).faulty.enqueue({ jobs: [JOB] }));
    await time.run(0.01);
    expect(await jobs()).toBe(0);
    await time.run(20);
    expect(await jobs()).toBe(1);
    expect(call.value).toEqual([{ id: 'mem-1', created: true }]);
  });

  it('loses requests: nothing happens, and the caller cannot know', async () => {
    const call = watched(behind({ requestLost: 1 }).faulty.enqueue({ jobs: [JOB] }));
    await time.run(TIMEOUT_MS + 20);
    expect(await jobs()).toBe(0);
    expect(call.error).toBeInstanceOf(StoreUnavailable);
  });

  it('loses answers: it happened, and the caller cannot know', async () => {
    const call = watched(behind({ answerLost: 1 }).faulty.enqueue({ jobs: [JOB] }));
    await time.run(TIMEOUT_MS + 20);
    expect(await jobs()).toBe(1);
    expect(call.error).toBeInstanceOf(StoreUnavailable);
  });

  it('repeats what may be repeated, and nothing else', async () => {
    const { faulty } = behind({ twice: 1 });
    const keyed = { ...JOB, key: { value: 'one', windowMs: 1_000 } };
    watched(faulty.enqueue({ jobs: [JOB] }));
    watched(faulty.enqueue({ jobs: [keyed] }));
    await time.run(20_000);
    expect(await jobs()).toBe(2);
  });

  it('carries nothing while it is cut, one way or both', async () => {
    const { faulty, link } = behind({});
    link.cut('answers');
    const first = watched(faulty.enqueue({ jobs: [JOB] }));
    await time.run(time.now() + 2_000);
    expect([await jobs(), first.error instanceof StoreUnavailable]).toEqual([1, true]);
    link.cut('both');
    watched(faulty.enqueue({ jobs: [JOB] }));
    await time.run(time.now() + 2_000);
    expect(await jobs()).toBe(1);
    link.heal();
    const last = watched(faulty.enqueue({ jobs: [JOB] }));
    await time.run(time.now() + 20);
    expect(last.value).toHaveLength(1);
  });

  it('lets arrive what a process sent before it died, and nothing that it sends afterwards', async () => {
    const { faulty } = behind({});
    const before = watched(faulty.enqueue({ jobs: [JOB] }));
    clock.kill();
    watched(faulty.enqueue({ jobs: [JOB] }));
    await time.run(2_000);
    expect(await jobs()).toBe(1);
    expect(before).toEqual({ value: null, error: null });
  });

  it('keeps answers and hints waiting while the process is frozen', async () => {
    const { faulty } = behind({});
    const hints: number[] = [];
    faulty.watch(() => hints.push(time.now()));
    const call = watched(faulty.enqueue({ jobs: [JOB] }));
    clock.freeze();
    await time.run(500);
    expect([call.value, hints]).toEqual([null, []]);
    clock.thaw();
    await time.run(500);
    expect(call.value).toHaveLength(1);
    expect(hints).toEqual([500]);
  });

  it('lets hints overtake each other', async () => {
    const { faulty } = behind({ hintSlow: 1 });
    const kinds: string[] = [];
    faulty.watch((hint) => {
      if (hint.type === 'ready') kinds.push(...hint.kinds);
    });
    const asked = Array.from({ length: 20 }, (_, index) => `kind-${index}`);
    for (const kind of asked) await store.enqueue({ jobs: [{ ...JOB, kind }] });
    await time.run(60_000);
    expect(kinds).not.toEqual(asked);
    expect(kinds.toSorted()).toEqual(asked.toSorted());
  });

  it('has the parts that its store has', async () => {
    const { faulty } = behind({});
    const paused = watched(faulty.control?.pause({ kind: 'plain', by: null }) ?? Promise.reject());
    await time.run(20);
    expect(paused.value).toBe(true);
    const { control: _control, chunks: _chunks, ...poor } = store;
    store = poor;
    const { faulty: lesser } = behind({});
    expect([lesser.control, lesser.chunks, lesser.upkeep === undefined]).toEqual([
      undefined,
      undefined,
      false,
    ]);
  });

  it('tells of each call, with what its caller hears', async () => {
    const { link } = behind({ requestLost: 1 });
    const ended: string[] = [];
    const onCall = (answer: Promise<unknown>): void =>
      void answer.then(
        () => ended.push('answered'),
        () => ended.push('given up'),
      );
    const faulty = createFaultyStore({ store, time, clock, link, onFault: () => {}, onCall });
    watched(faulty.now());
    await time.run(TIMEOUT_MS + 20);
    link.calm();
    watched(faulty.now());
    await time.run(TIMEOUT_MS + 40);
    expect(ended).toEqual(['given up', 'answered']);
  });

  it('drops hints', async () => {
    const { faulty } = behind({ hintLost: 1 });
    let hints = 0;
    faulty.watch(() => (hints += 1));
    watched(faulty.enqueue({ jobs: [JOB] }));
    await time.run(100);
    expect(hints).toBe(0);
  });
});
