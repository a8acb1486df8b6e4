import { type Moment, parseMoment } from './format.ts';

/**
 * Text of a spreadsheet as people write it where a locale is spoken: `1.234,50` and `16.11.2026` in de-DE, `1,234.50`
 * and `11/16/2026` in en-US. Only what the locale itself writes is read: `1234.50` is no German number, since the
 * next row's `1.234` would then mean something else without a word. ISO dates mean the same everywhere.
 */
export function readNumber(text: string, locale: string): number | undefined {
  const match = signsOf(locale).number.exec(latinDigits(text.trim(), locale));
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = ''] = match;
  const digits = whole.replace(/\D/g, '');
  // Beyond 15 digits a number is no longer the one that was written.
  if (digits.replace(/^0+/, '').length + fraction.length > 15) return undefined;
  const value = Number(`${digits}.${fraction}`);
  return sign !== '' && sign !== '+' ? -value : value;
}

/** `12,5 %` is 0.125; without the sign the number is meant as it is. */
export function readPercent(text: string, locale: string): number | undefined {
  const whole = text.trim();
  if (!/[%٪﹪％]$/.test(whole)) return readNumber(text, locale);
  const value = readNumber(whole.slice(0, -1), locale);
  // 12.3 / 100 is 0.12300000000000001 in binary.
  return value === undefined ? undefined : Number((value / 100).toPrecision(15));
}

/** With the sign or code of its currency, if that is the one it will be shown in: `1.234,50 €`. */
export function readAmount(text: string, locale: string, code: string): number | undefined {
  const plain = readNumber(text, locale);
  if (plain !== undefined || code === '') return plain;
  for (const mark of marksOf(code, locale)) {
    const rest = text.trim();
    if (rest.endsWith(mark)) return readNumber(rest.slice(0, -mark.length), locale);
    const at = rest.indexOf(mark);
    if (at === 0 || (at === 1 && /[-−+]/.test(rest)))
      return readNumber(`${rest.slice(0, at)}${rest.slice(at + mark.length).trimStart()}`, locale);
  }
  return undefined;
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

function numberPattern(locale: string): RegExp {
  // Four digits are not grouped everywhere (es, pl), seven are; en-IN groups by two above the thousands.
  const parts = new Intl.NumberFormat(locale, { useGrouping: 'always' }).formatToParts(1234567.5);
  const of = (type: string, other: string) =>
    parts.find((part) => part.type === type)?.value ?? other;
  const group = oneOf(of('group', ','));
  const decimal = oneOf(of('decimal', '.'));
  const lengths = parts.filter(({ type }) => type === 'integer').map(({ value }) => value.length);
  const inner = lengths.length > 2 && lengths.at(-2) === 2 ? 2 : 3;
  const grouped = `\\d{1,${inner}}(?:${group}\\d{${inner}})*${group}\\d{3}`;
  return new RegExp(`^([-−+]?)\\s?(${grouped}|\\d+)(?:${decimal}(\\d+))?$`);
}

/** Keyboards have one apostrophe and one space where typography has several. */
function oneOf(sign: string): string {
  if (/\s/.test(sign)) return '[ \\u00a0\\u2009\\u202f]';
  if (/['’]/.test(sign)) return "['’]";
  return escaped(sign);
}

function datePattern(locale: string): RegExp | undefined {
  const format = new Intl.DateTimeFormat(locale, { ...DATE, timeZone: 'UTC' });
  if (format.resolvedOptions().calendar !== 'gregory') return undefined;
  const parts = format.formatToParts(Date.UTC(2026, 10, 30));
  const pattern = parts.map(({ type, value }, index) => {
    if (type === 'year') return '(?<year>\\d{4})';
    if (type === 'month' || type === 'day') return `(?<${type}>\\d{1,2})`;
    const sign = escaped(value.replace(/[\s\u200e\u200f]/g, ''));
    // What stands at the ends, such as a word for "year", is often left out.
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
        .map(({ value }) => value),
    );
    return [...new Set(marks)].toSorted((a, b) => b.length - a.length);
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}
