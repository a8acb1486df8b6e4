import type { Clock } from '../time/clock.ts';
import type { Events } from '../events.ts';
import type { ClaimedJob } from '../job.ts';
import type { Leases } from './leases.ts';
import type { Running } from './running.ts';

const LOOK_EVERY_MS = 1_000;
/** Jobs kept of those that have ended since the last look: the one that held everyone up is among the last. */
const ENDED_KEPT = 1_000;
const JOBS_NAMED = 10;

export interface LoopWatch {
  /** Leases that also note which jobs end: the job that held everyone up has often ended before anybody can look. */
  readonly leases: Leases;
  start(): void;
  stop(): void;
}

/**
 * A handler that computes without a pause holds up everything in its process: heartbeats too, so that its lease and those
 * of its neighbours run out. A timer that comes late by a tenth of a lease shows it, once the handler lets go. One that
 * never does is seen by others: they take its jobs over.
 */
export function watchLoop(params: {
  leases: Leases;
  clock: Clock;
  events: Events;
  leaseMs: number;
}): LoopWatch {
  const { leases, clock, events, leaseMs } = params;
  const everyMs = Math.min(LOOK_EVERY_MS, leaseMs / 20);
  let ended: Running[] = [];
  let dueAt = 0;
  let cancelTimer: (() => void) | null = null;

  function look(): void {
    const now = clock.now();
    if (now - dueAt > leaseMs / 10) report(now - dueAt);
    ended = [];
    dueAt = now + everyMs;
    cancelTimer = clock.after(everyMs, look);
  }

  /** Jobs that began after the timer was due are not blamed: they began after the standstill. */
  function report(ms: number): void {
    const then = [...leases.running.values(), ...ended.toReversed()].filter(
      ({ startedAt }) => startedAt <= dueAt,
    );
    events.emit('worker.blocked', {
      ms,
      jobs: then.slice(0, JOBS_NAMED).map(({ job }) => nameOf(job)),
      more: Math.max(0, then.length - JOBS_NAMED),
    });
  }

  return {
    leases: {
      ...leases,
      remove(running) {
        leases.remove(running);
        if (ended.length >= ENDED_KEPT) ended = ended.slice(ENDED_KEPT / 2);
        ended.push(running);
      },
    },
    start() {
      if (cancelTimer !== null) return;
      dueAt = clock.now();
      look();
    },
    stop() {
      cancelTimer?.();
      cancelTimer = null;
    },
  };
}

function nameOf({ id, kind }: ClaimedJob): { id: string; kind: string } {
  return { id, kind };
}
