import { type Moment, parseMoment } from './format.ts';

/**
 * Text of a spreadsheet as people write it where a locale is spoken: `1.234,50` and `16.11.2026` in de-DE, `1,234.50`
 * and `11/16/2026` in en-US. Only what can mean one number there is read: `1234.50` is no German number, since the
 * next row's `1.234` would then mean something else without a word. ISO dates mean the same everywhere. Why cells are
 * read here and not when a batch is loaded: docs/decisions/0016-spreadsheets.md.
 */
export function readNumber(text: string, locale: string): number | undefined {
  const { sign = '', whole, fraction = '' } = partsOf(text, locale) ?? {};
  if (whole === undefined) return undefined;
  const digits = whole.replace(/\D/g, '');
  // Beyond 15 digits a number is no longer the one that was written.
  if (digits.replace(/^0+/, '').length + fraction.length > 15) return undefined;
  const value = Number(`${digits}.${fraction}`);
  return sign !== '' && sign !== '+' ? -value : value;
}

/** `12,5 %` is 0.125; without the sign the number is meant as it is. */
export function readPercent(text: string, locale: string): number | undefined {
  const whole = keyed(text).trim();
  if (!/[%٪﹪％]$/.test(whole)) return readNumber(whole, locale);
  const value = readNumber(whole.slice(0, -1), locale);
  // 12.3 / 100 is 0.12300000000000001 in binary.
  return value === undefined ? undefined : Number((value / 100).toPrecision(15));
}

/** With the sign or code of its currency, if that is the one it will be shown in: `1.234,50 €`. */
export function readAmount(text: string, locale: string, code: string): number | undefined {
  return readNumber(withoutMark(keyed(text).trim(), locale, code), locale);
}

/** `44.800` is 44.8 in en-US and 44800 in de-DE: with three decimals, an amount may come from a file of another locale. */
export function mayBeThousands(text: string, locale: string, code: string): boolean {
  const { whole = '', fraction } =
    partsOf(withoutMark(keyed(text).trim(), locale, code), locale) ?? {};
  return fraction?.length === 3 && /^[1-9]\d{0,2}$/.test(whole);
}

function withoutMark(text: string, locale: string, code: string): string {
  if (code === '' || partsOf(text, locale)) return text;
  for (const mark of marksOf(code, locale)) {
    if (text.endsWith(mark)) return text.slice(0, -mark.length);
    const at = text.indexOf(mark);
    if (at === 0 || (at === 1 && /[-−+]/.test(text)))
      return `${text.slice(0, at)}${text.slice(at + mark.length).trimStart()}`;
  }
  return text;
}

/**
 * Digits without words, whether they can be read or not: `1.000 €`, `01.01.27`. A time of day (09:30) is none, since its
 * text has the right order.
 */
export function isFigure(text: string): boolean {
  const bare = withoutCurrency(text);
  return /\p{Nd}/u.test(bare) && !/\p{L}/u.test(bare) && !/^\d\d:\d\d(?::\d\d)?$/.test(bare);
}

export function isZero(text: string, locale: string): boolean {
  return isFigure(text) && readPercent(withoutCurrency(text), locale) === 0;
}

/** Whatever the currency: a sign, or a code that stands apart. */
function withoutCurrency(text: string): string {
  return text
    .trim()
    .replace(/^(?:\p{Sc}|[A-Z]{3}(?=\s))|(?:\p{Sc}|(?<=\s)[A-Z]{3})$/gu, '')
    .trim();
}

/** No locale's date and time come near this; where a word follows the year, much white space would take long. */
const LONGEST_DATE = 200;

/** A year has four digits: nobody can tell the century of 16.11.26. */
export function readMoment(text: string, locale: string): Moment | undefined {
  const iso = parseMoment(text);
  if (iso !== undefined) return iso;
  const { date } = signsOf(locale);
  const written = text.trim();
  if (written.length > LONGEST_DATE) return undefined;
  const match = date?.exec(latinDigits(written, locale));
  const { year, month, day, hour, minute, second, half } = match?.groups ?? {};
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const two = (digits: string) => digits.padStart(2, '0');
  const plain = `${year}-${two(month)}-${two(day)}`;
  if (hour === undefined) return parseMoment(plain);
  const hours = half === undefined ? Number(hour) : halfDay(Number(hour), half);
  return parseMoment(`${plain}T${two(String(hours))}:${minute ?? ''}:${second ?? '00'}`);
}

function halfDay(hour: number, half: string): number {
  if (hour < 1 || hour > 12) return 99;
  return (hour % 12) + (/^p/i.test(half) ? 12 : 0);
}

/** How a locale would have written it, for the sentence that says what could not be read. */
export function writtenLike(locale: string): { readonly number: string; readonly date: string } {
  const { date } = signsOf(locale);
  const shown = new Intl.DateTimeFormat(locale, { ...DATE, timeZone: 'UTC' });
  return {
    number: new Intl.NumberFormat(locale).format(1234.5),
    date: date === undefined ? '2026-11-30' : shown.format(Date.UTC(2026, 10, 30)),
  };
}

interface Signs {
  readonly number: RegExp;
  /** Undefined where people count years in another calendar: there only ISO dates are read. */
  readonly date: RegExp | undefined;
}

/** A service has a few locales; making these costs about 100 µs. */
const KEPT = 100;
const known = new Map<string, Signs>();
const DATE = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;

function signsOf(locale: string): Signs {
  const there = known.get(locale);
  if (there) return there;
  const made = { number: numberPattern(locale), date: datePattern(locale) };
  if (known.size >= KEPT) known.clear();
  known.set(locale, made);
  return made;
}

interface NumberParts {
  readonly sign?: string;
  readonly whole?: string;
  readonly fraction?: string;
}

function partsOf(text: string, locale: string): NumberParts | undefined {
  return signsOf(locale).number.exec(latinDigits(keyed(text).trim(), locale))?.groups;
}

/** As a keyboard has it: one apostrophe and one space where typography has several, no marks of direction. */
function keyed(text: string): string {
  return text
    .replace(/[\u200e\u200f\u061c]/g, '')
    .replace(/[\u00a0\u2009\u202f]/g, ' ')
    .replaceAll('’', "'");
}

/**
 * Austria groups amounts by a dot and numbers by a space, and French Switzerland has a decimal point in amounts only: the
 * signs of both are read. A space or an apostrophe is no decimal sign anywhere. A dot or comma that is neither sign of
 * the locale groups where nothing else can be meant: `1.234,50` in pt-PT, not `1.234`.
 */
function numberPattern(locale: string): RegExp {
  const { decimals, groups, byTwo } = numberSigns(locale);
  const decimal = `[${decimals.map(escaped).join('')}]`;
  const grouping = `[${[...groups, ' ', "'"].map(escaped).join('')}]`;
  const wholes = [`\\d{1,3}(?:(?<group>${grouping})\\d{3}(?:\\k<group>\\d{3})*)?`, '\\d+'];
  if (byTwo) wholes.push(`\\d{1,2}(?:${grouping}\\d{2})*${grouping}\\d{3}`);
  const other = ['.', ','].find((sign) => !decimals.includes(sign) && !groups.includes(sign));
  if (other !== undefined) {
    const next = `${escaped(other)}\\d{3}`;
    wholes.push(`\\d{1,3}(?:${next})+(?=${decimal})`, `\\d{1,3}(?:${next}){2,}`);
  }
  return new RegExp(
    `^(?<sign>[-−+]?)\\s?(?<whole>${wholes.join('|')})(?:${decimal}(?<fraction>\\d+))?$`,
  );
}

function numberSigns(locale: string) {
  // Four digits are not grouped everywhere (es, pl), seven are; en-IN groups by two above the thousands.
  const partsWith = (style: Intl.NumberFormatOptions) =>
    new Intl.NumberFormat(locale, { useGrouping: 'always', ...style }).formatToParts(1234567.5);
  const plain = partsWith({});
  const money = partsWith({ style: 'currency', currency: 'XXX' });
  const of = (parts: readonly Intl.NumberFormatPart[], type: string, other: string) =>
    keyed(parts.find((part) => part.type === type)?.value ?? other);
  const decimals = [of(plain, 'decimal', '.'), of(money, 'decimal', '.')];
  const groups = [of(plain, 'group', ','), of(money, 'group', ',')];
  const lengths = plain.filter(({ type }) => type === 'integer').map(({ value }) => value.length);
  const byTwo = lengths.length > 2 && lengths.at(-2) === 2;
  // In en-BE amounts have the signs of numbers the other way round: then those of numbers count.
  const isPlain = decimals.some((sign) => groups.includes(sign));
  const kept = isPlain ? 1 : 2;
  return { decimals: decimals.slice(0, kept), groups: groups.slice(0, kept), byTwo };
}

function datePattern(locale: string): RegExp | undefined {
  const format = new Intl.DateTimeFormat(locale, { ...DATE, timeZone: 'UTC' });
  if (format.resolvedOptions().calendar !== 'gregory') return undefined;
  const parts = format.formatToParts(Date.UTC(2026, 10, 30));
  const pattern = parts.map(({ type, value }, index) => {
    if (type === 'year') return '(?<year>\\d{4})';
    if (type === 'month' || type === 'day') return `(?<${type}>\\d{1,2})`;
    const sign = escaped(value.replace(/[\s\u200e\u200f]/g, ''));
    // The text at the ends, such as a word for "year", is often left out.
    return index === 0 || index === parts.length - 1 ? `\\s*(?:${sign})?` : `\\s*${sign}\\s*`;
  });
  const time =
    '(?:,?\\s+(?<hour>\\d{1,2}):(?<minute>\\d\\d)(?::(?<second>\\d\\d))?\\s*(?<half>[AaPp]\\.?\\s?[Mm]\\.?)?)?';
  return new RegExp(`^${pattern.join('')}${time}$`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

/** Digits of the locale's own script. */
function latinDigits(text: string, locale: string): string {
  if (/^[\x20-\x7e\u00a0\u202f]*$/.test(text)) return text;
  const own = new Intl.NumberFormat(locale, { useGrouping: false }).format(9876543210);
  // A digit is one character in every script that a locale writes numbers in.
  const digits = Array.from(own).toReversed();
  if (digits.length !== 10) return text;
  return Array.from(text)
    .map((sign) => (digits.includes(sign) ? String(digits.indexOf(sign)) : sign))
    .join('');
}

/** The longest first: `US$` ends with `$`. */
function marksOf(code: string, locale: string): string[] {
  try {
    const marks = (['symbol', 'narrowSymbol', 'code'] as const).flatMap((currencyDisplay) =>
      new Intl.NumberFormat(locale, { style: 'currency', currency: code, currencyDisplay })
        .formatToParts(1)
        .filter(({ type }) => type === 'currency')
        .map(({ value }) => keyed(value)),
    );
    return [...new Set(marks)].toSorted((a, b) => b.length - a.length);
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}
