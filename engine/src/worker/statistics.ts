import type { Events } from '../events.ts';

/** This replica's running totals, read off the events. */
export interface Totals {
  processed: number;
  succeeded: number;
  failed: number;
  canceled: number;
  retries: number;
  deferred: number;
  handedBack: number;
  fenced: number;
  takenOver: number;
  lost: number;
}

export function countEvents(events: Events): Totals {
  const totals: Totals = {
    processed: 0,
    succeeded: 0,
    failed: 0,
    canceled: 0,
    retries: 0,
    deferred: 0,
    handedBack: 0,
    fenced: 0,
    takenOver: 0,
    lost: 0,
  };
  const finished = (outcome: 'succeeded' | 'failed' | 'canceled') => () => {
    totals.processed += 1;
    totals[outcome] += 1;
  };
  events.on('job.succeeded', finished('succeeded'));
  events.on('job.failed', finished('failed'));
  events.on('job.canceled', finished('canceled'));
  events.on('job.retrying', () => (totals.retries += 1));
  events.on('job.deferred', () => (totals.deferred += 1));
  events.on('job.handedBack', () => (totals.handedBack += 1));
  events.on('lease.fenced', () => (totals.fenced += 1));
  events.on('lease.takenOver', ({ count }) => (totals.takenOver += count));
  events.on('job.lost', () => (totals.lost += 1));
  return totals;
}
