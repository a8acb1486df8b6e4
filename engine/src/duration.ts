import { MillraceError } from './errors.ts';

/** Milliseconds, or a number with a unit: `'90s'`, `'15m'`, `'24h'`, `'7d'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function toMs(duration: Duration): number {
  if (typeof duration === 'number') return duration;
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration) ?? [];
  const factor = UNIT_MS[unit ?? ''];
  if (amount === undefined || factor === undefined) {
    throw new MillraceError(
      'invalid_definition',
      `"${duration}" is not a duration. Write milliseconds or a number with a unit, such as "90s" or "15m".`,
    );
  }
  return Number(amount) * factor;
}
