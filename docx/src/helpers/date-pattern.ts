import { DATE_STYLES, PATTERN_PIECES } from './format.ts';

/** The letters that a pattern of the date helper may have. Each run of one letter is looked up as a whole: MMMMM is none of them. */
const KNOWN: ReadonlySet<string> = new Set(
  'yyyy yy MMMM MMM MM M dd d EEEE EEE HH H hh h mm m ss s a'.split(' '),
);

/** Letters of other languages, by what they most likely mean. */
const MEANT: Readonly<Record<string, string>> = {
  D: 'd',
  DD: 'dd',
  DDD: 'EEE',
  DDDD: 'EEEE',
  ddd: 'EEE',
  dddd: 'EEEE',
  TT: 'dd',
  E: 'EEE',
  EE: 'EEE',
  EEEEE: 'EEE',
  MMMMM: 'MMMM',
  mmm: 'MMM',
  mmmm: 'MMMM',
  Y: 'yyyy',
  YY: 'yy',
  YYYY: 'yyyy',
  y: 'yyyy',
  yyy: 'yyyy',
  JJ: 'yy',
  JJJJ: 'yyyy',
  nn: 'mm',
  S: 's',
  SS: 'ss',
  A: 'a',
  aa: 'a',
  t: 'a',
  tt: 'a',
};

/** The letters of strftime, which many languages have. */
const STRFTIME: Readonly<Record<string, string>> = {
  d: 'dd',
  e: 'd',
  m: 'MM',
  y: 'yy',
  Y: 'yyyy',
  B: 'MMMM',
  b: 'MMM',
  A: 'EEEE',
  a: 'EEE',
  H: 'HH',
  I: 'hh',
  M: 'mm',
  S: 'ss',
  p: 'a',
};

/** A merge asks for each date that it prints: patterns that were looked at are kept, up to a number. */
const sound = new Set<string>();
const MOST_KEPT = 300;

/** The fault of a pattern of the date helper, and what to write; undefined when there is none. */
export function wrongPattern(pattern: string): string | undefined {
  if (sound.has(pattern)) return undefined;
  const why = faultOf(pattern);
  if (why === undefined) {
    if (sound.size < MOST_KEPT) sound.add(pattern);
    return undefined;
  }
  const meant = correctedPattern(pattern);
  const instead =
    meant === undefined
      ? 'Write it like "dd.MM.yyyy HH:mm"; words go between single quotes.'
      : `Write "${meant}".`;
  return `"${pattern}" is no way to write a date: ${why}. ${instead}`;
}

/** Why a pattern would print what nobody means. */
export function faultOf(pattern: string): string | undefined {
  if (/%[A-Za-z]/.test(pattern)) return 'its letters stand without "%"';
  const letters = lettersOf(pattern);
  if (letters.length === 0) return 'it has no letters';
  const unknown = letters.find((one) => !KNOWN.has(one));
  if (unknown !== undefined) return `"${unknown}" means nothing`;
  for (const [n, one] of letters.entries()) {
    const around = { before: letters[n - 1], after: letters[n + 1] };
    if (isMinute(one) && isInDate(around)) return `"${one}" is minutes`;
    if (isMonth(one) && isInTime(around)) return `"${one}" is the month`;
  }
  return undefined;
}

function lettersOf(pattern: string): string[] {
  return [...pattern.matchAll(PATTERN_PIECES)]
    .filter(([, , letter]) => letter !== undefined)
    .map(([letters]) => letters);
}

interface Around {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const isMinute = (letters: string) => /^m{1,2}$/.test(letters);
const isMonth = (letters: string) => /^M{1,2}$/.test(letters);

/** Minutes stand behind hours or before seconds; beside a day, month or year the month is meant. */
function isInDate({ before = '', after = '' }: Around): boolean {
  if (/^[Hh]/.test(before) || after.startsWith('s')) return false;
  return /^[dMyE]/.test(before) || /^[dMyE]/.test(after);
}

function isInTime({ before = '', after = '' }: Around): boolean {
  return after.startsWith('s') || (/^[Hh]/.test(before) && !/^[dy]/.test(after));
}

/** The pattern with the letters that are most likely meant; undefined when that is none either. */
export function correctedPattern(pattern: string): string | undefined {
  const style = DATE_STYLES.find((name) => name === pattern.trim().toLowerCase());
  if (style !== undefined) return style;
  const plain = pattern.replace(/%([A-Za-z])/g, (whole, letter: string) =>
    Object.hasOwn(STRFTIME, letter) ? (STRFTIME[letter] ?? whole) : whole,
  );
  const known = replacedLetters(plain, (letters) =>
    KNOWN.has(letters) || !Object.hasOwn(MEANT, letters) ? letters : (MEANT[letters] ?? letters),
  );
  const meant = replacedLetters(known, (letters, around) => {
    if (isMinute(letters) && isInDate(around)) return letters.toUpperCase();
    return isMonth(letters) && isInTime(around) ? letters.toLowerCase() : letters;
  });
  return faultOf(meant) === undefined ? meant : undefined;
}

function replacedLetters(
  pattern: string,
  change: (letters: string, around: Around) => string,
): string {
  const all = lettersOf(pattern);
  let n = 0;
  return pattern.replace(PATTERN_PIECES, (whole, _quoted, letter?: string) => {
    if (letter === undefined) return whole;
    const around = { before: all[n - 1], after: all[n + 1] };
    n += 1;
    return change(whole, around);
  });
}

/**
 * The letters of Word's `\@` in ours: a weekday is `ddd` or `dddd` there, `D` and `Y` mean the same as `d` and `y`, AM and PM are
 * `am/pm`, and what is no letter of a date is printed as it stands. A German Word has `TT.MM.JJJJ`.
 */
export function patternOfWord(picture: string): string {
  return picture.replace(WORD_PIECES, (whole, quoted?: string) => {
    if (quoted !== undefined) return whole;
    if (/^am\/pm$/i.test(whole)) return 'a';
    const [letter = ''] = whole;
    const count = whole.length;
    if (/[dDT]/.test(letter)) return count > 2 ? 'E'.repeat(Math.min(4, count)) : 'd'.repeat(count);
    if (/[yYJ]/.test(letter)) return count > 2 ? 'yyyy' : 'yy';
    if (letter === 'M') return 'M'.repeat(Math.min(4, count));
    if (/[hHm]/.test(letter)) return letter.repeat(Math.min(2, count));
    if (/[sS]/.test(letter)) return 's'.repeat(Math.min(2, count));
    return `'${whole}'`;
  });
}

const WORD_PIECES = /'([^']*)'|[Aa][Mm]\/[Pp][Mm]|([dDTyYJMhHmsS])\2*|[A-Za-z]/g;
