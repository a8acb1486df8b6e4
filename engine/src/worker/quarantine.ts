import { type Clock, sleep } from '../time/clock.ts';
import type { Events } from '../events.ts';
import type { JobId } from '../job.ts';
import type { Leases } from '../execution/leases.ts';
import type { Pool, Suspect } from './pool.ts';
import type { WorkerState } from './status.ts';

/**
 * A suspect is a job whose worker was lost while it may have run. It runs alone in its process until it is cleared, so
 * that one that stops its process takes no neighbours along, and is found out:
 *
 *     a suspect is claimed ──► no pool claims ──► what runs ends (chunks: the next one) ──► it runs ──► all claim again
 *
 * Claimed first, so that one process empties itself for it and not all of them. It is handed back and claimed again while
 * that takes long, since a lease that is not renewed shows that the job has not begun.
 *
 * Where the pool says so (`together`) several have a turn together, with nothing else beside them: if the process lives, all of
 * them are cleared; if it dies, half as many have the next turn, until each is alone.
 *
 * Turns are fair: the others then have at least as long a time as the suspect's turn took, if there are others. Before, a
 * process that died four times after a claim of 40 made all 40 FAILED, none of them begun (docs/decisions/0010-claims.md).
 */
export interface Quarantine {
  /** Suspects of the pool wait. Answers in how long to ask again; 0 when a turn is under way. */
  ask(pool: Pool, foundOthers: boolean): number;
}

/** The workers of one process, each with a store of its own: what one of them runs can end them all. */
export interface Crew {
  readonly members: Set<Member>;
  /** While a suspect has its turn, and no pool may claim: a promise of the turn's end. */
  turn: Promise<void> | null;
  /** The suspect whose turn it is, or is about to be. */
  alone: JobId | null;
  restUntil: number;
  /** After a turn in which no suspect ran. */
  vainUntil: number;
}

interface Member {
  isRunning(): boolean;
  /** One of its pools other than this one claims. An `object`, so that Crew, which others hand on, shows no pool's inside. */
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
  state: () => WorkerState;
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
      // This pool has no other work, but another pool's claim is under way: soon it is known whether others wait for
      // their time.
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
    let suspects = await claimGroup(pool);
    while (suspects.length > 0 && isBusy()) {
      crew.alone = suspects[0]?.id ?? null;
      for (const member of crew.members) member.askToYield();
      await sleep(clock, LOOK_MS);
      const isLate = suspects.some(({ beginBy }) => clock.now() >= beginBy);
      if (state() !== 'running') {
        // While the worker is paused nothing begins, suspects neither.
        for (const suspect of suspects) void suspect.handBack();
        return false;
      }
      if (isLate) {
        await Promise.all(suspects.map((suspect) => suspect.handBack()));
        suspects = state() === 'running' ? await claimGroup(pool) : [];
      }
    }
    if (suspects.length === 0) return false;
    // A pause or a window may have begun while the others came to their end.
    if (state() !== 'running' || !(await pool.isOpen())) {
      for (const suspect of suspects) void suspect.handBack();
      return false;
    }
    crew.alone = suspects[0]?.id ?? null;
    const executions = suspects.flatMap((suspect) => suspect.begin() ?? []);
    if (executions.length === 0) return false;
    // The turn lasts until the outcome is written: if another job ended the process before, this one would be blamed.
    // A pause changes nothing for a job that runs. A worker that stops claims no more: nobody has to wait for the
    // turn's end.
    const isUnderWay = (): boolean =>
      executions.some(({ isSettled, running }) => !isSettled && running.isSuspect);
    while (isUnderWay() && !isStopping()) await sleep(clock, LOOK_MS);
    return executions.some(({ running }) => running.abortReason === null);
  }

  /** One suspect, or as many as may run together; what may not run with those that were claimed before it is handed back. */
  async function claimGroup(pool: Pool): Promise<Suspect[]> {
    const first = await pool.claimSuspect();
    if (first === null) return [];
    const group = [first];
    for (let room = first.share; group.length < room;) {
      // Without an answer, those that are here have their turn.
      const next = await pool.claimSuspect().catch(() => null);
      if (next === null) break;
      if (next.share <= group.length) {
        void next.handBack();
        break;
      }
      group.push(next);
      room = Math.min(room, next.share);
    }
    return group;
  }

  function isBusy(): boolean {
    return [...crew.members].some((member) => member.isRunning() || member.isClaiming());
  }

  function isStopping(): boolean {
    return state() === 'stopping' || state() === 'stopped';
  }

  return { ask };
}
