/** A day as the number of days since 1970-01-01: what a calendar adds up with. No time zone, no time of day. */
export type Day = number;

const DAY_MS = 86_400_000;
const FIRST = dayOf(1, 1, 1);
const LAST = dayOf(9999, 12, 31);

/** Months are counted from 1, and may be beyond 12 or below 1: then the year is another one. */
export function dayOf(year: number, month: number, day: number): Day {
  const date = new Date(0);
  // Not Date.UTC: it takes the year 50 for 1950.
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() / DAY_MS;
}

interface DayParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export function partsOf(day: Day): DayParts {
  const date = new Date(day * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** `2026-01-31`; null for a day that four digits of a year do not reach. */
export function isoDay(day: Day): string | null {
  if (!(day >= FIRST && day <= LAST)) return null;
  const { year, month, day: ofMonth } = partsOf(day);
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(ofMonth, 2)}`;
}

/** Of `2026-01-31`; null where the calendar has no such day. */
export function readDay(text: string): Day | null {
  const [, year = '', month = '', ofMonth = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const day = dayOf(Number(year), Number(month), Number(ofMonth));
  return isoDay(day) === text ? day : null;
}

/** The same day of another month, or the last one of that month where it is shorter. */
export function addMonths(day: Day, months: number): Day {
  const { year, month, day: ofMonth } = partsOf(day);
  const first = dayOf(year, month + months, 1);
  return Math.min(first + ofMonth - 1, lastOfMonth(first));
}

function lastOfMonth(day: Day): Day {
  const { year, month } = partsOf(day);
  return dayOf(year, month + 1, 1) - 1;
}

export const PERIODS = ['day', 'week', 'month', 'quarter', 'year'] as const;
export type Period = (typeof PERIODS)[number];

const MONTHS_OF: Partial<Record<Period, number>> = { month: 1, quarter: 3, year: 12 };
const DAYS_OF: Partial<Record<Period, number>> = { day: 1, week: 7 };

/** So many periods later; earlier with a negative number. */
export function add(day: Day, count: number, period: Period): Day {
  const months = MONTHS_OF[period];
  return months === undefined
    ? day + count * (DAYS_OF[period] ?? 1)
    : addMonths(day, count * months);
}

/** The first day of the period that the day is in. Weeks begin with Monday. */
export function startOf(day: Day, period: Period): Day {
  const { year, month } = partsOf(day);
  if (period === 'day') return day;
  // 1970-01-01 was a Thursday.
  if (period === 'week') return day - ((((day + 3) % 7) + 7) % 7);
  if (period === 'month') return dayOf(year, month, 1);
  if (period === 'quarter') return dayOf(year, month - ((month - 1) % 3), 1);
  return dayOf(year, 1, 1);
}

export function endOf(day: Day, period: Period): Day {
  return add(startOf(day, period), 1, period) - 1;
}

/** What a calendar on the wall shows at a moment. */
export function dayAt(moment: number, timeZone: string): Day {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  }).formatToParts(moment);
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value);
  return dayOf(part('year'), part('month'), part('day'));
}

/** The same as a date, `2026-01-31`. */
export function isoDateAt(moment: number, timeZone: string): string {
  return isoDay(dayAt(moment, timeZone)) ?? new Date(moment).toISOString().slice(0, 10);
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
