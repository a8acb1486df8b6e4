import { createHash } from 'node:crypto';
import type { Clock } from '@millrace/simulator-kit';
import type { Row } from '../data/database.ts';
import type { PublishedEvent } from '../org.ts';

/** Events as subscribers get them, kept for a while for those who come later. */
export interface RetainedEvents {
  add(event: PublishedEvent, row: Row): KeptEvent;
  /** The events of one object after a number; -2: all. Null: no such number was given out, or it is too old. */
  after(object: string, replayId: number): KeptEvent[] | null;
}

export interface KeptEvent {
  readonly object: string;
  readonly at: number;
  readonly replayId: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** As Salesforce keeps events of high volume. */
const KEEP_MS = 72 * 3_600_000;
const MOST = 10_000;

export function createRetainedEvents(clock: Clock): RetainedEvents {
  let events: KeptEvent[] = [];
  let last = 0;

  return {
    add({ type, at, values }, row) {
      last += 1;
      const event: KeptEvent = {
        object: type,
        at,
        replayId: last,
        data: {
          schema: createHash('sha256').update(type).digest('base64url').slice(0, 22),
          payload: {
            CreatedDate: new Date(at).toISOString(),
            CreatedById: row['CreatedById'],
            ...values,
          },
          event: { replayId: last },
        },
      };
      events = [...events.slice(1 - MOST), event];
      return event;
    },
    after(object, replayId) {
      events = events.filter(({ at }) => clock.now() - at <= KEEP_MS);
      const oldest = events[0]?.replayId ?? last + 1;
      const isKnown = replayId >= oldest - 1 && replayId <= last;
      if (replayId !== -2 && !isKnown) return null;
      return events.filter((event) => event.object === object && event.replayId > replayId);
    },
  };
}
