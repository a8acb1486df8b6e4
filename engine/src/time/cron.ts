import { Cron, CronPattern } from 'croner';
import { REACH_MS, zoneOf } from './cron-zone.ts';

/** The moments that a cron expression names in a time zone. */
export interface Ticks {
  /** The first one after `after`; null when there is none. */
  nextRun(after: Date): Date | null;
}

/**
 * Croner reads the expression and walks through local times as if they were UTC; what the clocks of the zone do
 * is decided here, because croner runs `15,45 2 * * *` not at all when 02:00 to 03:00 is left out and four
 * times when it is repeated. The rule is written at `Schedule`.
 *
 * A local time runs when the wall first shows it or a later one. So the local times that have run are those up
 * to the latest that the wall has ever shown, and what is left out runs at the moment the clocks move to. A
 * rhythm instead runs whenever the wall shows one of its times, stretch by stretch between the changes.
 */
export function cronTicks(cron: string, timeZone: string): Ticks {
  const zone = zoneOf(timeZone);
  const locals = new Cron(cron, { utcOffset: 0, paused: true });
  if (locals.getOnce() !== null)
    throw new Error('it is a date, and a schedule comes again: enqueue with runAt instead');
  const isRhythm = new CronPattern(cron).hour.every((named) => named === 1);

  const localAfter = (local: number): number =>
    locals.nextRun(new Date(local))?.getTime() ?? Infinity;
  const shownAt = (moment: number): number => moment + zone.offsetAt(moment);

  /**
   * The latest local time that the wall has shown up to `moment`: after the clocks went back, it takes a while until
   * the wall shows a later one.
   */
  function latestShown(moment: number): number {
    const change = zone.changeBetween(moment - REACH_MS, moment);
    return Math.max(shownAt(moment), change === null ? -Infinity : shownAt(change - 1));
  }

  function tickAfter(after: number): number | null {
    let from = after;
    let local = localAfter(isRhythm ? shownAt(after) : latestShown(after));
    for (;;) {
      const tick = local - zone.offsetAt(from);
      const near = from + REACH_MS;
      const change = zone.changeBetween(from, Math.min(tick, near));
      if (change !== null) {
        const shown = shownAt(change);
        if (isRhythm) local = localAfter(shown - 1);
        else if (local <= shown) return change;
        from = change;
      } else if (tick <= near) {
        return tick;
      } else if (local === Infinity) {
        return null;
      } else {
        // Past REACH_MS, no change brings back what the wall has shown by now: nothing runs before `local`.
        from = tick - REACH_MS;
      }
    }
  }

  return {
    nextRun(after) {
      const tick = tickAfter(after.getTime());
      return tick === null ? null : new Date(tick);
    },
  };
}
