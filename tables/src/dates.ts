import type { Value } from './columns.ts';

/** A moment. One that was given with an offset is put to UTC; one without stands as it was written. */
export interface Moment {
  /** Since 1970. */
  readonly ms: number;
  /** Beyond the millisecond, 0 to 999. */
  readonly micros: number;
  /** Given as a day, without a time. */
  readonly isDay: boolean;
}

/** ISO 8601 and what Postgres writes: `2026-01-31`, `2026-01-31 06:00:00.123456+00`. */
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6})0*)?)?(?:(Z)|([+-]\d\d):?(\d\d)?)?)?$/;
const MINUTE = 60_000;

export function momentOf(value: Value): Moment | null {
  if (typeof value === 'string') return parse(value);
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) return null;
  return { ms: value.getTime(), micros: 0, isDay: false };
}

function parse(text: string): Moment | null {
  const match = ISO.exec(text);
  if (match === null) return null;
  const [
    ,
    year,
    month,
    day,
    hour,
    minute = '0',
    second = '0',
    fraction = '',
    ,
    offset,
    rest = '0',
  ] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // 30 February would become 1 March.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return null;
  if (hour === undefined) return { ms: date.getTime(), micros: 0, isDay: true };
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const micros = Number(fraction.padEnd(6, '0'));
  const time = (Number(hour) * 60 + Number(minute)) * MINUTE + Number(second) * 1000;
  return {
    ms: date.getTime() + time + Math.floor(micros / 1000) - offsetMs(offset, rest),
    micros: micros % 1000,
    isDay: false,
  };
}

function offsetMs(hours = '+00', minutes: string): number {
  const size = (Number(hours.slice(1)) * 60 + Number(minutes)) * MINUTE;
  return hours.startsWith('-') ? -size : size;
}
