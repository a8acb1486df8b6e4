const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY };

/** "90s", "15m" in milliseconds; null when it is not a length of time. */
export function durationMs(text: string): number | null {
  const [, amount, unit] = /^(\d{1,9}(?:\.\d{1,6})?)(ms|s|m|h|d)$/.exec(text) ?? [];
  return amount === undefined ? null : Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
}

/** One figure, for columns: `12 s`, `3 min`, `5 h`, `9 d`. */
export function age(ms: number): string {
  const whole = Math.max(ms, 0);
  if (whole < MINUTE) return `${Math.floor(whole / SECOND)} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min`;
  if (whole < 2 * DAY) return `${Math.floor(whole / HOUR)} h`;
  return `${Math.floor(whole / DAY)} d`;
}

/** `3 min ago`, `in 5 h`. The two clocks may differ by a little: so much is "now". */
export function relative(at: string, now: number): string {
  const ms = Date.parse(at) - now;
  if (Math.abs(ms) < SECOND) return 'now';
  return ms < 0 ? `${age(-ms)} ago` : `in ${age(ms)}`;
}

/** Two figures, for what is looked at alone: `12 ms`, `1.2 s`, `42 s`, `3 min 5 s`, `2 h 10 min`. */
export function lasting(ms: number): string {
  const seconds = Math.round(Math.max(ms, 0) / SECOND);
  if (ms > 0 && ms < 100) return `${Math.ceil(ms)} ms`;
  if (ms < 9_950) return `${(Math.max(ms, 0) / SECOND).toFixed(1)} s`;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return pair(seconds, 60, 'min', 1, 's');
  if (seconds < 86_400) return pair(seconds, 3_600, 'h', 60, 'min');
  return pair(seconds, 86_400, 'd', 3_600, 'h');
}

function pair(
  seconds: number,
  big: number,
  bigName: string,
  small: number,
  smallName: string,
): string {
  const rest = Math.floor((seconds % big) / small);
  const first = `${Math.floor(seconds / big)} ${bigName}`;
  return rest === 0 ? first : `${first} ${rest} ${smallName}`;
}
