import { sleep } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { Livelock, createVirtualTime } from './virtual-clock.ts';

describe('virtual time', () => {
  it('stands still until it is run, and then stops where it was asked to', async () => {
    const time = createVirtualTime();
    const fired: number[] = [];
    for (const ms of [30, 10, 20]) time.after(ms, () => fired.push(time.now()));
    expect(fired).toEqual([]);
    await time.run(20);
    expect(fired).toEqual([10, 20]);
    await time.run(100);
    expect(fired).toEqual([10, 20, 30]);
    expect(time.now()).toBe(100);
  });

  it('fires what is due at one moment in the order it was set', async () => {
    const time = createVirtualTime();
    const fired: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) time.after(5, () => fired.push(name));
    await time.run(5);
    expect(fired.join('')).toBe('abcde');
  });

  it('lets every promise run its course before the next timer', async () => {
    const time = createVirtualTime();
    const seen: string[] = [];
    const deep = async (depth: number): Promise<void> => {
      if (depth > 0) await deep(depth - 1);
    };
    time.after(1, () => void deep(100).then(() => seen.push('promises of the first')));
    time.after(1, () => seen.push('second'));
    await time.run(1);
    expect(seen).toEqual(['promises of the first', 'second']);
  });

  it('forgets a timer that was taken back', async () => {
    const time = createVirtualTime();
    let fired = 0;
    const cancelTimer = time.after(1, () => (fired += 1));
    cancelTimer();
    await time.run(10);
    expect(fired).toBe(0);
  });

  it('keeps thousands of timers in order', async () => {
    const time = createVirtualTime();
    const fired: number[] = [];
    for (let i = 0; i < 5_000; i++) time.after((i * 7919) % 1_000, () => fired.push(time.now()));
    await time.run(1_000);
    expect(fired).toHaveLength(5_000);
    expect(fired).toEqual(fired.toSorted((a, b) => a - b));
  });

  it('stays where it is while somebody holds it, and lets the present go on', async () => {
    let release: () => void = () => {};
    let isHeld = true;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const time = createVirtualTime({ hold: () => (isHeld ? released : null) });
    const fired: string[] = [];
    time.after(0, () => fired.push('now'));
    time.after(5, () => fired.push('later'));
    const running = time.run(10);
    await new Promise((resolve) => setImmediate(resolve));
    expect([fired, time.now()]).toEqual([['now'], 0]);
    // What the holder sets going comes before what was to come later.
    time.after(1, () => fired.push('of the holder'));
    isHeld = false;
    release();
    await running;
    expect([fired, time.now()]).toEqual([['now', 'of the holder', 'later'], 10]);
  });

  it('does not end before what holds it at its end', async () => {
    const work = [new Promise<void>((resolve) => setImmediate(resolve))];
    const time = createVirtualTime({ hold: () => work.pop() ?? null });
    await time.run(10);
    expect(work).toEqual([]);
  });

  it('knows when something happens next', () => {
    const time = createVirtualTime();
    expect(time.nextAt()).toBe(null);
    const cancelTimer = time.after(1, () => {});
    time.after(7, () => {});
    cancelTimer();
    expect(time.nextAt()).toBe(7);
  });

  it('notices when nothing lets time pass', async () => {
    const time = createVirtualTime();
    const again = (): void => void time.after(0, again);
    again();
    await expect(time.run(1)).rejects.toThrow(Livelock);
  });
});

describe('the clock of a process', () => {
  it('starts anywhere and drifts', async () => {
    const time = createVirtualTime();
    const clock = time.process({ offset: -500, rate: 1.01 });
    expect(clock.now()).toBe(-500);
    await time.run(1_000);
    expect(clock.now()).toBeCloseTo(510);
  });

  it('waits by its own time, and never too short', async () => {
    const time = createVirtualTime();
    for (const rate of [0.99, 0.997, 1, 1.003, 1.01]) {
      const clock = time.process({ offset: 12_345.678, rate });
      const from = clock.now();
      let waited = 0;
      void sleep(clock, 100).then(() => (waited = clock.now() - from));
      await time.run(time.now() + 200);
      expect(waited).toBeGreaterThan(100 - 1e-6);
      expect(waited).toBeLessThan(100.01);
    }
  });

  it('fires nothing while it is frozen, and everything late and in order afterwards', async () => {
    const time = createVirtualTime();
    const clock = time.process();
    const fired: string[] = [];
    for (const ms of [30, 10, 20, 90]) clock.after(ms, () => fired.push(`${ms} at ${time.now()}`));
    clock.freeze();
    await time.run(50);
    expect(fired).toEqual([]);
    expect(clock.now()).toBe(50);
    clock.thaw();
    await time.run(100);
    expect(fired).toEqual(['10 at 50', '20 at 50', '30 at 50', '90 at 90']);
    expect(clock.thawedAt).toBe(50);
  });

  it('lets one late timer take back the next', async () => {
    const time = createVirtualTime();
    const clock = time.process();
    const fired: string[] = [];
    clock.after(1, () => {
      fired.push('first');
      cancelTimer();
    });
    const cancelTimer = clock.after(2, () => fired.push('second'));
    clock.freeze();
    await time.run(5);
    clock.thaw();
    await time.run(10);
    expect(fired).toEqual(['first']);
  });

  it('never fires again once it is killed', async () => {
    const time = createVirtualTime();
    const clock = time.process();
    const fired: string[] = [];
    clock.after(1, () => fired.push('running'));
    await time.run(1);
    clock.after(1, () => fired.push('killed'));
    clock.freeze();
    await time.run(5);
    clock.kill();
    clock.thaw();
    await time.run(10);
    expect(fired).toEqual(['running']);
    expect(clock.state).toBe('killed');
  });
});
