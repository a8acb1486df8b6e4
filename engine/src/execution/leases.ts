import type { Clock } from '../time/clock.ts';
import type { Events } from '../events.ts';
import type { Lease } from '../job.ts';
import type { ChunkPart, RenewAnswer } from '../port-parts.ts';
import type { Store } from '../port.ts';
import { type Running, fencedEvent, isSameLease, leaseOf, progressEvent } from './running.ts';

/**
 * Keeps the leases of everything that runs here: renews all of them in one write, saves progress, and
 * stops a handler on this process's own monotonic clock before its lease can end, so that a worker that
 * was blocked or cut off never works beside its successor.
 */
export interface Leases {
  readonly running: ReadonlyMap<string, Running>;
  /** Takes a new execution in; aborts it at once if its cancel arrived before the answer of its claim. */
  add(running: Running): void;
  remove(running: Running): void;
  /** The local end of a lease that was asked for at `askedAt`. */
  deadlineOf(askedAt: number): number;
  /** True, and the handler aborted, when the lease's local end has passed. */
  fenceIfLate(running: Running): boolean;
  /** Aborts the handler: the lease belongs to someone else. */
  fence(running: Running, write: 'local' | 'renew' | 'checkpoint'): void;
  /**
   * Aborts the executions with these leases. By lease and not by job: a hint that comes late must not stop a later
   * execution.
   */
  requestCancel(asked: readonly Lease[]): void;
  start(): void;
  stop(): void;
  /** Public for tests and simulations, like every service's `runOnce`. */
  runOnce(): Promise<{ renewed: number; fenced: number }>;
}

const PROGRESS_EVERY_MS = 1_000;
/** Jobs of which the newest early cancel is remembered. */
const EARLY_CANCELS = 1_000;

export function createLeases(params: {
  store: Store;
  clock: Clock;
  events: Events;
  leaseMs: number;
  /** The leases of ended executions whose outcomes wait to be written. */
  settling: () => Iterable<Lease>;
}): Leases {
  const { store, clock, events, leaseMs, settling } = params;
  // A tenth of the lease is left for the abort to take effect and for the clocks to differ.
  const marginMs = leaseMs / 10;
  const renewEveryMs = leaseMs / 3;
  const tickMs = Math.min(PROGRESS_EVERY_MS, leaseMs / 20);
  const running = new Map<string, Running>();
  /** Cancels of jobs that do not run here, or not yet: a hint may overtake the answer of the claim that it is about. */
  const earlyCancels = new Map<string, Lease>();
  let progressSavedAt = -Infinity;
  /** When the leases of waiting outcomes were last renewed. */
  let keptAt = clock.now();
  let cancelTimer: (() => void) | null = null;
  let renewing = false;

  function fence(each: Running, write: 'local' | 'renew' | 'checkpoint'): void {
    if (each.abortReason === 'lease_lost') return;
    events.emit('lease.fenced', fencedEvent(each.job, write));
    each.abort('lease_lost');
  }

  function fenceIfLate(each: Running): boolean {
    if (clock.now() < each.deadline) return false;
    fence(each, 'local');
    return true;
  }

  function checkDeadlines(): number {
    const now = clock.now();
    let fenced = 0;
    for (const each of running.values()) {
      if (now >= each.deadline) {
        fence(each, 'local');
        fenced += 1;
      } else if (each.isTimedOut(now)) each.abort('timeout');
    }
    return fenced;
  }

  async function renew(): Promise<number> {
    const now = clock.now();
    const due = [...running.values()].filter(
      (each) =>
        each.abortReason !== 'lease_lost' &&
        each.deadline + marginMs - now <= leaseMs - renewEveryMs,
    );
    const waiting = outcomesToKeep(now);
    if (due.length + waiting.length === 0) return 0;
    const askedAt = clock.now();
    const leases = [...due.map(({ job }) => leaseOf(job)), ...waiting];
    const answers = await store.renew({ leases, leaseMs });
    if (waiting.length > 0) keptAt = now;
    for (const [index, each] of due.entries())
      apply(each, answers[index] ?? 'stale', askedAt, 'renew');
    return leases.length;
  }

  /**
   * Leases of ended executions whose outcome is not written yet (a line that is cut, a flood): renewed, since without
   * its lease the work would be done again.
   */
  function outcomesToKeep(now: number): Lease[] {
    if (now - keptAt < renewEveryMs) return [];
    const waiting = Array.from(settling(), leaseOf);
    if (waiting.length === 0) keptAt = now;
    return waiting;
  }

  function apply(
    each: Running,
    answer: RenewAnswer,
    askedAt: number,
    write: 'renew' | 'checkpoint',
  ): void {
    if (answer === 'stale') {
      if (running.get(each.job.id) === each) fence(each, write);
      return;
    }
    each.deadline = Math.max(each.deadline, askedAt + leaseMs - marginMs);
    if (answer === 'cancel') each.abort('canceled');
  }

  /** Writes the progress that handlers have reported: all that changed in one write, once a second at most. */
  async function saveProgress(chunks: ChunkPart): Promise<void> {
    const now = clock.now();
    if (now - progressSavedAt < PROGRESS_EVERY_MS) return;
    const changed = [...running.values()].flatMap((each) =>
      each.progress === null || each.progress === each.savedProgress || each.isSaving
        ? []
        : [{ each, progress: each.progress }],
    );
    if (changed.length === 0) return;
    progressSavedAt = now;
    const checkpoints = changed.map(({ each, progress }) => ({
      lease: leaseOf(each.job),
      step: each.nextStep(),
      progress,
      children: [],
    }));
    const answers = await chunks.checkpoint({ checkpoints, leaseMs });
    for (const [index, { each, progress }] of changed.entries()) {
      each.savedProgress = progress;
      const answer = answers[index] ?? 'stale';
      if (answer !== 'stale') events.emit('job.progress', progressEvent(each, progress));
      apply(each, answer, now, 'checkpoint');
    }
  }

  function rememberCancel(lease: Lease): void {
    earlyCancels.delete(lease.id);
    earlyCancels.set(lease.id, lease);
    const [oldest] = earlyCancels.keys();
    if (earlyCancels.size > EARLY_CANCELS && oldest !== undefined) earlyCancels.delete(oldest);
  }

  /** True if the cancel of this lease came early. A remembered cancel of its job is forgotten either way. */
  function takeEarlyCancel(lease: Lease): boolean {
    if (earlyCancels.size === 0) return false;
    const asked = earlyCancels.get(lease.id);
    earlyCancels.delete(lease.id);
    return asked !== undefined && isSameLease(asked, lease);
  }

  async function runOnce(): Promise<{ renewed: number; fenced: number }> {
    const fenced = checkDeadlines();
    // One round at a time: a store that hangs must not pile up requests, while deadlines go on being watched.
    if (renewing) return { renewed: 0, fenced };
    renewing = true;
    try {
      const renewed = await renew();
      if (store.chunks !== undefined) await saveProgress(store.chunks);
      return { renewed, fenced };
    } catch (error) {
      events.emit('store.failed', { during: 'renew', error });
      return { renewed: 0, fenced };
    } finally {
      renewing = false;
    }
  }

  function tick(): void {
    cancelTimer = clock.after(tickMs, tick);
    void runOnce();
  }

  return {
    running,
    add(each) {
      const before = running.get(each.job.id);
      // The store gave the same job out again: a fail-over lost the claim before. The older execution is stopped
      // here, since no fence would.
      if (before !== undefined) fence(before, 'local');
      running.set(each.job.id, each);
      if (takeEarlyCancel(each.job)) each.abort('canceled');
    },
    remove(each) {
      if (running.get(each.job.id) === each) running.delete(each.job.id);
    },
    deadlineOf: (askedAt) => askedAt + leaseMs - marginMs,
    fence,
    fenceIfLate,
    requestCancel(asked) {
      for (const lease of asked) {
        const each = running.get(lease.id);
        if (each !== undefined && isSameLease(lease, each.job)) each.abort('canceled');
        else rememberCancel(lease);
      }
    },
    start() {
      if (cancelTimer === null) tick();
    },
    stop() {
      cancelTimer?.();
      cancelTimer = null;
    },
    runOnce,
  };
}
