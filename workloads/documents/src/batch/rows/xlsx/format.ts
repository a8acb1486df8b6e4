import type { Cell } from '../row.ts';

/** How a number of a sheet is shown decides what it is: a date, a time, a code with leading zeros, or a number. */
export type Format =
  | { readonly type: 'number' }
  | { readonly type: 'date' }
  | { readonly type: 'time' }
  | { readonly type: 'duration' }
  /** `00000`, `"RE-"000`, `"+"0`: digits that name something, with the signs between them. */
  | { readonly type: 'code'; readonly pattern: readonly Piece[] };

/** A place that is always filled (`0`) or only if there is a digit for it (`#`), or text as it stands. */
export type Piece = { readonly place: '0' | '#' } | { readonly text: string };

const NUMBER: Format = { type: 'number' };

export function formatOf(id: number, code: string | undefined): Format {
  if (code !== undefined) return formatOfCode(code);
  if ((id >= 14 && id <= 17) || id === 22) return { type: 'date' };
  // The numbers of East Asian dates.
  if ((id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return { type: 'date' };
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47)
    return { type: 'time' };
  return id === 46 ? { type: 'duration' } : NUMBER;
}

/** Spreadsheet programs write no longer ones; the patterns below would look at a longer one again and again. */
const LONGEST_CODE = 1_000;

function formatOfCode(code: string): Format {
  if (code.length > LONGEST_CODE) return NUMBER;
  const [positive = ''] = code.split(';');
  if (/\[(h+|m+|s+)\]/i.test(positive)) return { type: 'duration' };
  // Colours, conditions and currencies stand in brackets; _x leaves the width of x, *x fills with it.
  const shown = positive.replace(/\[[^\]]*\]/g, '').replace(/[_*]./g, '');
  const bare = shown.replace(/"[^"]*"|\\./g, '');
  if (/^general/i.test(bare)) return NUMBER;
  const digits = bare.replace(/s[.,]0+/gi, 's');
  if (/[#?%]|0/.test(digits)) {
    const pattern = codeOf(shown, { isOnly: code === positive });
    return pattern === null ? NUMBER : { type: 'code', pattern };
  }
  if (/[yd]/i.test(digits) || /m{3,}/i.test(digits)) return { type: 'date' };
  return /[hs]/i.test(digits) ? { type: 'time' } : NUMBER;
}

/** What a program shows as it stands, without quotes. */
const BARE_TEXT = /^[\s\-+()/:]$/;

/**
 * A number shown with leading zeros is a code, as is one with a plus before it in a format of one section (`+0;-0`
 * shows a difference). The places after the first `0` are all filled. A sign of arithmetic (`.`, `,`, `%`, `E`) that
 * does not stand in quotes makes it a number.
 */
function codeOf(shown: string, { isOnly }: { isOnly: boolean }): Piece[] | null {
  const pattern: Piece[] = [];
  let isFilled = false;
  for (const [sign] of shown.matchAll(/"[^"]*"|\\.|[^]/g)) {
    if (sign === '0' || sign === '#' || sign === '?') {
      isFilled ||= sign === '0';
      pattern.push({ place: isFilled ? '0' : '#' });
    } else if (sign.length > 1) pattern.push({ text: sign.replace(/^["\\]|"$/g, '') });
    else if (BARE_TEXT.test(sign)) pattern.push({ text: sign });
    else return null;
  }
  const zeros = pattern.filter((piece) => 'place' in piece && piece.place === '0').length;
  const [first] = pattern;
  const isPhone = isOnly && first !== undefined && 'text' in first && first.text.trim() === '+';
  return zeros > 1 || isPhone ? pattern : null;
}

export type Shown = { readonly value: Cell } | { readonly error: string };

const DAY_SECONDS = 86_400;
/** The days between 30 December 1899 and 1 January 1904, from which old files of the Mac count. */
const FROM_1904 = 1_462;
/** 31 December 9999. */
const LAST_DAY = 2_958_465;

/** Dates are ISO without a zone: a sheet knows none. */
export function shownAs(number: number, format: Format, is1904: boolean): Shown {
  if (format.type === 'code') return { value: filled(number, format.pattern) };
  // Spreadsheets show 15 digits: 0.1 + 0.2 is 0.3 there.
  if (format.type === 'number') return { value: plain(number) };
  const seconds = Math.round(number * DAY_SECONDS);
  if (format.type === 'duration') return { value: clock(seconds) };
  if (number < 0 || number >= LAST_DAY + 1) return { error: `${number} is no date` };
  if (number < 1 && !is1904) return { value: clock(seconds) };
  // As the sheet shows it: 36 hours in the format hh:mm are 12:00.
  if (format.type === 'time') return { value: clock(seconds % DAY_SECONDS) };
  const days = Math.floor(seconds / DAY_SECONDS) + (is1904 ? FROM_1904 : 0);
  // Spreadsheets count a 29 February 1900 that never was.
  if (days === 60) return { error: '29 February 1900 is no date' };
  const day = new Date(Date.UTC(1899, 11, days < 60 ? 31 : 30) + days * DAY_SECONDS * 1_000);
  const date = day.toISOString().slice(0, 10);
  const rest = seconds % DAY_SECONDS;
  return { value: rest === 0 ? date : `${date}T${clock(rest)}` };
}

/** From here on JavaScript writes 1e+21. */
const LONGEST = 1e21;

function plain(number: number): Cell {
  const rounded = Number(number.toPrecision(15));
  if (Math.abs(rounded) < LONGEST) return rounded;
  const [digits = '', exponent = ''] = rounded.toExponential(14).split('e');
  return digits.replace('.', '').padEnd(Number(exponent) + 1 + (rounded < 0 ? 1 : 0), '0');
}

/** `09:30`, and seconds where there are some. */
function clock(seconds: number): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const whole = Math.abs(seconds);
  const parts = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = (parts.at(-1) === 0 ? parts.slice(0, 2) : parts).map(two).join(':');
  return seconds < 0 ? `-${shown}` : shown;
}

/** 1234 as `00000` is 01234. What has more digits than places has them before the first. */
function filled(number: number, pattern: readonly Piece[]): string {
  const places = pattern.filter((piece) => 'place' in piece);
  const needed = places.filter(({ place }) => place === '0').length;
  const digits = Math.round(Math.abs(number)).toFixed(0).padStart(needed, '0');
  // Below zero as long as the number has fewer digits than there are places.
  let at = digits.length - places.length;
  let before = digits.slice(0, Math.max(0, at));
  const shown = pattern.map((piece) => {
    if ('text' in piece) return piece.text;
    const digit = `${before}${digits[at] ?? ''}`;
    before = '';
    at += 1;
    return digit;
  });
  return `${number < 0 ? '-' : ''}${shown.join('').trim()}`;
}
