// Reads bytes without making them into a string first: the values that nearly all fields have. A value that is not recognised
// here is no error; it takes the way over a string, on which values.ts and dates.ts decide.

const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BLANK = 0x20;
const LETTER_T = 0x54;

const MINUTE = 60_000;
const DAY = 86_400_000;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** `-12.50`: JSON's grammar without an exponent. */
export function isPlainNumber(bytes: Uint8Array, start: number, end: number): boolean {
  let at = bytes[start] === MINUS ? start + 1 : start;
  if (at >= end || !isDigit(bytes[at])) return false;
  const isZero = bytes[at] === ZERO;
  at++;
  if (!isZero) while (at < end && isDigit(bytes[at])) at++;
  if (at === end) return true;
  if (bytes[at] !== POINT || at + 1 === end) return false;
  for (at++; at < end; at++) if (!isDigit(bytes[at])) return false;
  return true;
}

/** The moment that was read last; see `dates.ts`. One object for all: a million dates make no garbage. */
export interface ReadMoment {
  ms: number;
  isDay: boolean;
}

/** `2026-01-31`, `2026-01-31 06:00:00.123456+00`, with a T too, as `momentOf` reads them. */
export function readMoment(
  bytes: Uint8Array,
  start: number,
  end: number,
  into: ReadMoment,
): boolean {
  const length = end - start;
  if (length < 10 || bytes[start + 4] !== MINUS || bytes[start + 7] !== MINUS) return false;
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
  const month = twoDigits(bytes, start + 5);
  const day = twoDigits(bytes, start + 8);
  // NaN, of what is no digit, is neither below nor above anything.
  if (!(year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month))) {
    return false;
  }
  into.ms = dayNumber(year, month, day) * DAY;
  into.isDay = length === 10;
  return into.isDay || readTime(bytes, start + 10, end, into);
}

function readTime(bytes: Uint8Array, start: number, end: number, into: ReadMoment): boolean {
  const separator = bytes[start];
  if (separator !== BLANK && separator !== LETTER_T) return false;
  if (end - start < 9 || bytes[start + 3] !== COLON || bytes[start + 6] !== COLON) return false;
  const hour = twoDigits(bytes, start + 1);
  const minute = twoDigits(bytes, start + 4);
  const second = twoDigits(bytes, start + 7);
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return false;
  into.ms += (hour * 60 + minute) * MINUTE + second * 1000;
  let at = start + 9;
  if (at < end && bytes[at] === POINT) {
    const first = ++at;
    let micros = 0;
    for (let unit = 100_000; at < end && isDigit(bytes[at]); unit /= 10) {
      if (at - first === 6) return false;
      micros += ((bytes[at++] ?? 0) - ZERO) * unit;
    }
    if (at === first) return false;
    into.ms += Math.floor(micros / 1000);
  }
  return at === end || readOffset(bytes, at, end, into);
}

function readOffset(bytes: Uint8Array, start: number, end: number, into: ReadMoment): boolean {
  const sign = bytes[start];
  const length = end - start;
  if ((sign !== PLUS && sign !== MINUS) || (length !== 3 && length !== 6)) return false;
  const hours = twoDigits(bytes, start + 1);
  if (length === 6 && bytes[start + 3] !== COLON) return false;
  const minutes = length === 6 ? twoDigits(bytes, start + 4) : 0;
  const size = (hours * 60 + minutes) * MINUTE;
  if (!(size >= 0)) return false;
  into.ms -= sign === PLUS ? size : -size;
  return true;
}

/** NaN where they are no digits. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at];
  const ones = bytes[at + 1];
  if (!isDigit(tens) || !isDigit(ones)) return Number.NaN;
  return ((tens ?? 0) - ZERO) * 10 + (ones ?? 0) - ZERO;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

function daysOf(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : (MONTH_DAYS[month - 1] ?? 0);
}

/** Days since 1970: years begin in March here, so that the leap day is the last of its year. */
function dayNumber(year: number, month: number, day: number): number {
  const fromMarch = month > 2 ? month - 3 : month + 9;
  const y = month > 2 ? year : year - 1;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * fromMarch + 2) / 5) + day - 1;
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  return era * 146_097 + yearOfEra * 365 + leapDays + dayOfYear - 719_468;
}
