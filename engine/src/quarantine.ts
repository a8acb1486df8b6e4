import { type Clock, sleep } from './clock.ts';
import type { Events } from './events.ts';
import type { JobId } from './job.ts';
import type { Leases } from './leases.ts';
import type { Pool } from './pool.ts';
import type { WorkerStatus } from './worker.ts';

/**
 * A suspect is a job whose worker was lost while it may have run. It runs alone in its process until it is cleared, so
 * that one that stops its process takes no neighbours along, and is found out:
 *
 *     a suspect is claimed ──► no pool claims ──► what runs ends (chunks: the next one) ──► it runs ──► all claim again
 *
 * Claimed first, so that one process empties itself for it and not all of them. It is handed back and claimed again while
 * that takes long, since a lease that is not renewed tells that the job has not begun.
 *
 * Turns are fair: the others then have at least as long a time as the suspect's turn took, if there are others.
 */
export interface Quarantine {
  /** Null when pools may claim; else a promise of the end of the turn. */
  held(): Promise<void> | null;
  /** Suspects of the pool wait. Answers in how long to ask again; 0 when a turn is under way. */
  ask(pool: Pool, foundOthers: boolean): number;
}

/** The workers of one process, each with a store of its own: what one of them runs can end them all. */
export interface Crew {
  readonly members: Set<Member>;
  turn: Promise<void> | null;
  /** The suspect whose turn it is, or is about to be. */
  alone: JobId | null;
  restUntil: number;
  /** After a turn in which no suspect ran. */
  vainUntil: number;
}

interface Member {
  isRunning(): boolean;
  /** One of its pools, but for this one. An `object`, so that Crew, which others hand on, shows no pool's inside. */
  isClaiming(except?: object): boolean;
  askToYield(): void;
}

export function createCrew(): Crew {
  return {
    members: new Set(),
    turn: null,
    alone: null,
    restUntil: -Infinity,
    vainUntil: -Infinity,
  };
}

/** How often a turn looks whether it can go on. */
const LOOK_MS = 20;
/** Between two questions whether others have work. */
const SOON_MS = 100;
/** At least, after a turn in which no suspect ran: another worker was faster, or the store failed. */
const IN_VAIN_MS = 1_000;

export function createQuarantine(params: {
  crew: Crew;
  pools: () => readonly Pool[];
  leases: Leases;
  clock: Clock;
  events: Events;
  state: () => WorkerStatus['state'];
}): Quarantine {
  const { crew, pools, leases, clock, events, state } = params;
  crew.members.add({
    isRunning: () => leases.running.size > 0,
    isClaiming: (except) => pools().some((pool) => pool !== except && pool.isClaiming()),
    askToYield() {
      for (const running of leases.running.values()) running.isAskedToYield = true;
    },
  });

  function ask(pool: Pool, foundOthers: boolean): number {
    const startedAt = clock.now();
    if (crew.turn !== null) return 0;
    if (startedAt < crew.vainUntil) return crew.vainUntil - startedAt;
    if (startedAt < crew.restUntil) {
      const members = [...crew.members];
      if (foundOthers || members.some((member) => member.isRunning()))
        return crew.restUntil - startedAt;
      // Nothing else is there to have the time, as far as this pool knows: the others are about to know.
      if (members.some((member) => member.isClaiming(pool))) return SOON_MS;
    }
    crew.turn = takeTurn(pool)
      .catch((error: unknown) => {
        events.emit('store.failed', { during: 'claim', error });
        return false;
      })
      .then((hasRun) => {
        crew.turn = null;
        crew.alone = null;
        const now = clock.now();
        crew.restUntil = now + (now - startedAt);
        crew.vainUntil = hasRun ? -Infinity : now + IN_VAIN_MS;
      });
    return 0;
  }

  /** Whether a suspect has run, and nothing kept it from its end. */
  async function takeTurn(pool: Pool): Promise<boolean> {
    if (state() !== 'running') return false;
    let suspect = await pool.claimSuspect();
    while (suspect !== null && isBusy()) {
      crew.alone = suspect.id;
      for (const member of crew.members) member.askToYield();
      await sleep(clock, LOOK_MS);
      const isLate = clock.now() >= suspect.beginBy;
      if (state() !== 'running') {
        // While the worker is paused nothing begins, suspects neither.
        void suspect.handBack();
        return false;
      }
      if (isLate) {
        await suspect.handBack();
        suspect = state() === 'running' ? await pool.claimSuspect() : null;
      }
    }
    if (suspect === null) return false;
    // A pause or a window may have begun while the others came to their end.
    if (state() !== 'running' || !(await pool.isOpen())) {
      void suspect.handBack();
      return false;
    }
    crew.alone = suspect.id;
    const execution = suspect.begin();
    if (execution === null) return false;
    // Until its end is written: should another job end the process before, this one would be blamed. A pause changes
    // nothing for what runs. A worker that stops claims no more: nobody has to wait for the turn's end.
    while (!execution.isSettled && execution.isSuspect && !isStopping())
      await sleep(clock, LOOK_MS);
    return execution.abortReason === null;
  }

  function isBusy(): boolean {
    return [...crew.members].some((member) => member.isRunning() || member.isClaiming());
  }

  function isStopping(): boolean {
    return state() === 'stopping' || state() === 'stopped';
  }

  return { held: () => crew.turn, ask };
}
