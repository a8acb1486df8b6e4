import { formatDigits } from './format.ts';

/**
 * Word's number pictures (`\# "#,##0.00 €"`). Which sign is the decimal one depends on the computer that Word ran on, so it is read
 * from the picture; the document is written with the signs of its own locale, as Word does it.
 */
interface Section {
  /** Words alone, as in `0.00;-0.00;none`. */
  readonly isText: boolean;
  readonly before: string;
  readonly after: string;
  readonly grouping: boolean;
  readonly integers: number;
  readonly least: number;
  readonly most: number;
}

/** For numbers above zero, below it, and zero: the first does for all. */
export type NumberPicture = readonly Section[];

/** No picture comes near this; the pattern of a section would take long over a megabyte of zeros. */
const LONGEST = 100;

/** Undefined for a picture with signs that are not known here: `x` drops digits, and a plus asks for a sign. */
export function readNumberPicture(picture: string): NumberPicture | undefined {
  const parts = picture.split(';');
  if (parts.length > 3 || picture.length > LONGEST) return undefined;
  const sections: Section[] = [];
  for (const [index, part] of parts.entries()) {
    const section = readSection(part, index === 0);
    if (section === undefined) return undefined;
    sections.push(section);
  }
  return sections;
}

/** Digits with separators between them, and what stands around them. Word's own list has `$,0.00`. */
const SECTION = /^([^0#]*?)(,?[0#](?:[0#.,'\u2019\s]*[0#])?)([^0#]*)$/;

function readSection(text: string, isFirst: boolean): Section | undefined {
  const [, before = '', digits, after = ''] = SECTION.exec(text) ?? [];
  if (
    digits === undefined &&
    !isFirst &&
    text.trim() !== '' &&
    !/[x+`0#]/.test(text.replace(QUOTED, ''))
  )
    return { ...NO_DIGITS, before: literal(text) };
  if (digits === undefined || /[x+`]/.test(before.replace(QUOTED, ''))) return undefined;
  if (/[x+`]/.test(after.replace(QUOTED, ''))) return undefined;
  const at = decimalAt(digits);
  const [whole, fraction] = at === -1 ? [digits, ''] : [digits.slice(0, at), digits.slice(at + 1)];
  return {
    isText: false,
    // A minus in the first section is where Word puts the sign, which a number has anyway.
    before: literal(isFirst ? before.replace('-', '') : before),
    after: literal(after),
    grouping: /[^0#]/.test(whole),
    integers: Math.min(21, Math.max(1, count(whole, '0'))),
    least: Math.min(20, count(fraction, '0')),
    most: Math.min(20, fraction.length),
  };
}

const NO_DIGITS = {
  isText: true,
  before: '',
  after: '',
  grouping: false,
  integers: 1,
  least: 0,
  most: 0,
} as const;

const QUOTED = /'([^']*)'/g;

function literal(text: string): string {
  return text.replace(QUOTED, '$1');
}

function count(text: string, char: string): number {
  return text.split(char).length - 1;
}

/** The place of the decimal sign: the last of two kinds; one alone, unless it stands where thousands do (`#,##0`, `#.##0`). */
function decimalAt(digits: string): number {
  const at = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (at === -1) return -1;
  const sign = digits.charAt(at);
  const before = digits.slice(0, at);
  if (before.includes(sign)) return -1;
  const isThousands = /^[0#]{3}$/.test(digits.slice(at + 1)) && /^#+$/.test(before);
  return isThousands ? -1 : at;
}

export function writeNumberPicture(value: number, locale: string, picture: NumberPicture): string {
  const [positive, negative, zero] = picture;
  const section = (value < 0 ? negative : value === 0 ? zero : undefined) ?? positive;
  if (section === undefined) return '';
  const { isText, before, after, ...digits } = section;
  if (isText) return before;
  const text = formatDigits(Math.abs(value), locale, digits);
  // A number that is rounded to nothing has no sign.
  const isBelow = value < 0 && section === positive && Math.abs(value) >= 0.5 * 10 ** -digits.most;
  return `${isBelow ? '-' : ''}${before}${text}${after}`;
}
