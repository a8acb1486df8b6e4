import type { Clock } from '@millrace/engine';
import type { Announcements, Announcer } from '@millrace/store-postgres';
import { shared } from '../shared.ts';
import { KEEP_MS, type Ring } from './ring.ts';

/** Whether someone watches, in whichever process: only then do processes announce, and keep what is announced. */
export interface Interest {
  /** This process can rely on the others: they go on announcing for longer than it keeps the ring. */
  isKeeping(): boolean;
  /** A process says that someone watches. */
  hear(): void;
  /** Says so to all processes; afterwards the ring has a place to go on from. */
  show(): Promise<void>;
}

export function createInterest(params: {
  announcements: Announcements;
  announcer: Announcer;
  ring: Ring;
  clock: Clock;
  /** False in a process without streams: it announces, but keeps nothing for readers. */
  serves: boolean;
  /** `wasDeaf`: what was announced until now is not in the ring. */
  onHeard: (wasDeaf: boolean) => void;
}): Interest {
  const { announcements, announcer, ring, clock, serves, onHeard } = params;
  let heardAt = -Infinity;

  const isKeeping = (): boolean => serves && clock.now() - heardAt < KEEP_MS;

  function hear(): void {
    const wasDeaf = !isKeeping();
    heardAt = clock.now();
    announcer.hear();
    onHeard(wasDeaf);
  }

  const show = shared(async () => {
    await announcements.announce({ announcement: { type: 'interest' } });
    hear();
    if (ring.endId() === null) await announcer.beacon();
  });

  return { isKeeping, hear, show };
}
