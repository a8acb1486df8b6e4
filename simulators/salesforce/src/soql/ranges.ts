/** From the first moment of the range, up to but without `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

type Unit = 'DAY' | 'WEEK' | 'MONTH' | 'QUARTER' | 'YEAR';

/**
 * A date literal, in UTC (the user's time zone here). `LAST_N_DAYS:n` goes from n days ago to the end of today
 * and `NEXT_N_DAYS:n` begins tomorrow; the other `LAST_` and `NEXT_` leave the current one out. Null: there
 * is no such literal.
 */
export function rangeOf(name: string, count: number | null, now: number): Range | null {
  if (name === 'TODAY') return units('DAY', now, 0, 1);
  if (name === 'YESTERDAY') return units('DAY', now, -1, 0);
  if (name === 'TOMORROW') return units('DAY', now, 1, 2);
  if (name === 'LAST_90_DAYS') return units('DAY', now, -90, 1);
  if (name === 'NEXT_90_DAYS') return units('DAY', now, 1, 91);
  const many = /^(LAST|NEXT)_N_(DAY|WEEK|MONTH|QUARTER|YEAR)S$/.exec(name);
  const ago = /^N_(DAY|WEEK|MONTH|QUARTER|YEAR)S_AGO$/.exec(name);
  const one = /^(LAST|THIS|NEXT)_(WEEK|MONTH|QUARTER|YEAR)$/.exec(name);
  if (many !== null && count !== null) {
    const unit = many[2] as Unit;
    if (many[1] === 'NEXT') return units(unit, now, 1, count + 1);
    return units(unit, now, -count, unit === 'DAY' ? 1 : 0);
  }
  if (ago !== null && count !== null) return units(ago[1] as Unit, now, -count, 1 - count);
  if (one !== null && count === null) {
    const shift = { LAST: -1, THIS: 0, NEXT: 1 }[one[1] ?? ''] ?? 0;
    return units(one[2] as Unit, now, shift, shift + 1);
  }
  return null;
}

function units(unit: Unit, now: number, from: number, to: number): Range {
  return { from: start(unit, now, from), to: start(unit, now, to) };
}

function start(unit: Unit, now: number, shift: number): number {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (unit) {
    case 'DAY':
      return Date.UTC(year, month, day + shift);
    case 'WEEK':
      return Date.UTC(year, month, day - date.getUTCDay() + 7 * shift); // weeks begin on Sunday
    case 'MONTH':
      return Date.UTC(year, month + shift, 1);
    case 'QUARTER':
      return Date.UTC(year, month - (month % 3) + 3 * shift, 1);
    case 'YEAR':
      return Date.UTC(year + shift, 0, 1);
  }
}
