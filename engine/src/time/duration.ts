import { MillraceError } from '../errors.ts';

/** Milliseconds, or a number with a unit: `'90s'`, `'15m'`, `'24h'`, `'7d'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

export const TEN_YEARS_MS = 10 * 365 * 86_400_000;

/** A delay that every store can keep, whatever a policy, a service or a handler has come up with. */
export function storableDelay(ms: number): number {
  return ms > 0 ? Math.min(ms, TEN_YEARS_MS) : 0;
}

export function toMs(duration: Duration): number {
  if (typeof duration === 'number' && !Number.isNaN(duration)) return duration;
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(duration)) ?? [];
  const factor = UNIT_MS[unit ?? ''];
  if (amount === undefined || factor === undefined) {
    throw new MillraceError(
      'invalid_definition',
      `"${duration}" is not a duration. Write milliseconds or a number with a unit, such as "90s" or "15m".`,
    );
  }
  return Number(amount) * factor;
}
