import type { Clock } from '@millrace/engine';
import type { Place, Ring } from './ring.ts';
import { sharedNext } from '../shared.ts';

/** Finds the place of a reader who comes back, perhaps from another process. */
export interface Finder {
  find(lastEventId: string): Promise<Place | null>;
  /** An announcement is in the ring. */
  heard(mark: string): void;
}

/** How long to wait for our own announcement to come back; then the reader is sent the present state. */
const WAIT_MS = 1_000;

/**
 * Another process may have told the reader sooner than this one has heard of it. But all hear everything in the same
 * order: once an announcement made now has come back, whatever the reader may have had is here, or never will be.
 */
export function createFinder(params: {
  ring: Ring;
  clock: Clock;
  /** Announces nothing, and gives the mark. */
  beacon: () => Promise<string>;
}): Finder {
  const { ring, clock, beacon } = params;
  const waiting = new Map<string, () => void>();

  const hearAll = sharedNext(async () => {
    const mark = await beacon();
    if (ring.find(`${mark}.0`) !== null) return;
    await new Promise<void>((resolve) => {
      const takeBack = clock.after(WAIT_MS, resolve);
      waiting.set(mark, () => {
        takeBack();
        resolve();
      });
    });
    waiting.delete(mark);
  });

  return {
    async find(lastEventId) {
      const place = ring.find(lastEventId);
      if (place !== null) return place;
      await hearAll();
      return ring.find(lastEventId);
    },
    heard: (mark) => waiting.get(mark)?.(),
  };
}
