import { type Ticks, cronTicks } from './cron.ts';
import { type Duration, TEN_YEARS_MS, toMs } from './duration.ts';
import { MillraceError } from '../errors.ts';

/** The next moment a cron expression names after `after`, both in milliseconds since 1970. */
export function nextTick(cron: string, timeZone: string, after: number): number | null {
  return parseCron(cron, timeZone).nextRun(new Date(after))?.getTime() ?? null;
}

/** Reading an expression takes 0.2 ms, and a pool with pause windows asks at every claim. */
const read = new Map<string, Ticks>();
const READ_LIMIT = 1_000;

export function parseCron(cron: string, timeZone: string): Ticks {
  const key = JSON.stringify([timeZone, cron]);
  const known = read.get(key);
  if (known !== undefined) return known;
  try {
    const ticks = cronTicks(cron, timeZone);
    if (ticks.nextRun(new Date(0)) === null) throw new Error('it names no moment that ever comes');
    if (read.size >= READ_LIMIT) read.clear();
    read.set(key, ticks);
    return ticks;
  } catch (cause) {
    throw new MillraceError(
      'invalid_schedule',
      `"${cron}" in time zone "${timeZone}" is not a schedule: ${String(cause)}.`,
      { cause },
    );
  }
}

/** A time in which a pool claims nothing: it opens at each tick and lasts for `lasts`. */
export interface PauseWindow {
  readonly cron: string;
  readonly timeZone?: string;
  readonly lasts: Duration;
}

export function checkWindow(window: PauseWindow): PauseWindow {
  parseCron(window.cron, window.timeZone ?? 'UTC');
  if (!(toMs(window.lasts) > 0 && toMs(window.lasts) <= TEN_YEARS_MS)) {
    throw new MillraceError('invalid_schedule', `A pause window cannot last "${window.lasts}".`);
  }
  return window;
}

/** When the window that is open at `now` ends; null outside of all windows. */
export function pausedUntil(windows: readonly PauseWindow[], now: number): number | null {
  let until: number | null = null;
  for (const { cron, timeZone, lasts } of windows) {
    const opened = nextTick(cron, timeZone ?? 'UTC', now - toMs(lasts));
    if (opened !== null && opened <= now) until = Math.max(until ?? 0, opened + toMs(lasts));
  }
  return until;
}
