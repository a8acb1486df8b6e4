import { type Clock, sleep } from './clock.ts';
import type { Events } from './events.ts';
import type { Leases } from './leases.ts';
import type { Pool } from './pool.ts';

/**
 * A suspect is a job whose worker was lost while it may have run. It runs alone on its worker until it is cleared, so
 * that one that stops its process takes no neighbours along, and is found out:
 *
 *     no pool claims ──► what runs ends (work in chunks with its next chunk) ──► the suspect runs ──► all claim again
 *
 * Turns are fair: the others then have at least as long a time as the suspect's turn took.
 */
export interface Quarantine {
  /** Null when pools may claim; else a promise of the end of the turn. */
  held(): Promise<void> | null;
  /** Suspects of the pool wait. */
  ask(pool: Pool): void;
  stop(): Promise<void>;
}

/** How often a turn looks whether it can go on. */
const LOOK_MS = 20;

export function createQuarantine(params: {
  pools: () => readonly Pool[];
  leases: Leases;
  clock: Clock;
  events: Events;
  /** While the worker is paused nothing begins, suspects neither. */
  isPaused: () => boolean;
}): Quarantine {
  const { pools, leases, clock, events, isPaused } = params;
  let turn: Promise<void> | null = null;
  let stopped = false;
  let restUntil = -Infinity;

  function ask(pool: Pool): void {
    if (turn !== null || stopped || clock.now() < restUntil) return;
    const startedAt = clock.now();
    turn = takeTurn(pool)
      .catch((error: unknown) => events.emit('store.failed', { during: 'claim', error }))
      .then(() => {
        turn = null;
        restUntil = clock.now() + (clock.now() - startedAt);
      });
  }

  async function takeTurn(pool: Pool): Promise<void> {
    while (isBusy()) {
      if (stopped || isPaused()) return;
      for (const running of leases.running.values()) running.isAskedToYield = true;
      await sleep(clock, LOOK_MS);
    }
    const suspect = await pool.beginSuspect();
    if (suspect === null) return;
    while (!suspect.isOver && suspect.isSuspect) await sleep(clock, LOOK_MS);
  }

  function isBusy(): boolean {
    return leases.running.size > 0 || pools().some((pool) => pool.isClaiming());
  }

  return {
    held: () => turn,
    ask,
    async stop() {
      stopped = true;
      await turn;
    },
  };
}
