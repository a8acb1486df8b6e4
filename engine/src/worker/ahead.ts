import type { ExecutorParts } from '../execution/parts.ts';
import type { ClaimedJob } from '../job.ts';
import type { Claims } from './claims.ts';
import type { HeldWindows } from './held-windows.ts';
import type { Rhythm } from './rhythm.ts';
import type { Room, Slots } from './slots.ts';
import type { WakeUp } from './wake-up.ts';

/** Jobs that were claimed and have yet to begin. */
export interface Batch {
  readonly jobs: readonly ClaimedJob[];
  readonly askedAt: number;
  /** Jobs of a kind that was not asked for: they are handed back, and due again. */
  readonly hasForeign: boolean;
  /** What to wait for before the next claim; null: a free slot is all it needs. */
  readonly waitMs: number | null;
}

export const NOTHING: Batch = { jobs: [], askedAt: 0, hasForeign: false, waitMs: null };

/** The first stage of a pool: the next batch, asked for while the last one begins. */
export interface Ahead {
  /** Waits for what the last batch says, for room and for leave to claim. Never rejects. */
  next(last: Batch): Promise<Batch>;
  /** Every batch that was given has to be reported when its jobs have begun. */
  begun(batch: Batch): void;
  /** A claim is on its way, or its jobs have yet to begin. */
  isClaiming(): boolean;
}

/** A window that is changed, or a clock that is set, is noticed so soon. */
const LOOK_AT_WINDOWS_MS = 60_000;

export function createAhead(params: {
  parts: ExecutorParts;
  slots: Slots;
  claims: Claims;
  rhythm: Rhythm;
  windows: HeldWindows;
  /** Woken by hints. */
  signal: WakeUp;
  /** Woken when there may be room. */
  room: WakeUp;
  isStopped: () => boolean;
  /** Null when pools may claim, else a promise of the worker's going on. */
  held: () => Promise<void> | null;
  onSuspects: (foundOthers: boolean) => number;
}): Ahead {
  const { slots, claims, rhythm, windows, signal, room, isStopped, held, onSuspects } = params;
  const { settler, events } = params.parts;
  let unbegun = 0;

  async function next({ hasForeign, waitMs }: Batch): Promise<Batch> {
    try {
      // Without a pause, foreign jobs would come and go as fast as the store answers.
      if (hasForeign) await claims.backOff();
      else if (waitMs !== null) await signal.wait(waitMs);
      await outsideWindows();
      return await claimWhenPossible();
    } catch (error) {
      events.emit('store.failed', { during: 'claim', error });
      await claims.backOff();
      return NOTHING;
    }
  }

  async function outsideWindows(): Promise<void> {
    while (!isStopped()) {
      const ms = await windows.heldMs();
      if (ms === null) return;
      await signal.wait(Math.min(ms, LOOK_AT_WINDOWS_MS));
    }
  }

  async function claimWhenPossible(): Promise<Batch> {
    for (;;) {
      if (isStopped()) return NOTHING;
      // The claim leaves in the same turn: none leaves after a pause, or beside a suspect.
      const onward = held();
      const free = onward !== null || settler.isFull() ? null : slots.free(claims.most());
      if (free !== null) return claim(free);
      await (onward ?? room.wait(null));
    }
  }

  async function claim(free: Room): Promise<Batch> {
    unbegun += 1;
    const answer = await claims.ask(free);
    if (answer === null) {
      unbegun -= 1;
      return NOTHING;
    }
    const { claimed, askedAt, isReplay, hasForeign } = answer;
    const { jobs, more, suspects } = claimed;
    const restMs = suspects ? onSuspects(jobs.length > 0 || more) : Infinity;
    const waitMs = rhythm.after({ wants: free.wants, claimed, isReplay, restMs });
    return { jobs, askedAt, hasForeign, waitMs };
  }

  return {
    next,
    begun(batch) {
      if (batch !== NOTHING) unbegun -= 1;
    },
    isClaiming: () => unbegun > 0,
  };
}
