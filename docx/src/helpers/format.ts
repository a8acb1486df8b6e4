/** Numbers, money and dates by locale and time zone. */
export interface FormatOptions {
  readonly locale: string;
  readonly timeZone: string;
}

/** Making a formatter costs about 50 µs, using one 1 µs: they are kept, up to a number. */
const KEPT = 300;
const formatters = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();

function cached<F extends Intl.NumberFormat | Intl.DateTimeFormat>(key: string, make: () => F): F {
  const known = formatters.get(key);
  if (known) return known as F;
  const made = make();
  if (formatters.size >= KEPT) formatters.clear();
  formatters.set(key, made);
  return made;
}

/**
 * Salesforce writes `de_DE`. Undefined when Intl does not know the language: "german" is a well-formed tag, and would be
 * written as the machine's own locale writes.
 */
export function canonicalLocale(locale: string): string | undefined {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale.replaceAll('_', '-'))[0];
  } catch {
    return undefined;
  }
}

export function isTimeZone(timeZone: string): boolean {
  try {
    cached(`zone|${timeZone}`, () => new Intl.DateTimeFormat('en-US', { timeZone }));
    return true;
  } catch {
    return false;
  }
}

export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && NUMBER.test(value) ? toNumber(Number(value)) : undefined;
}

/** Digits can be read in one way only: with `\d+\.?\d*`, 100,000 digits and a letter took 47 s. */
const NUMBER = /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?\s*$/i;

/** Decimals of numbers whose tag gives none: 0.055 is 5.5%, and a third 33.33%. A currency has its own number of them. */
const MOST_DECIMALS = {
  decimal: { maximumFractionDigits: 10 },
  percent: { maximumFractionDigits: 2 },
  currency: {},
} as const;

export interface NumberOptions {
  readonly style?: 'decimal' | 'percent' | 'currency';
  readonly currency?: string;
  readonly decimals?: number | undefined;
  readonly display?: 'symbol' | 'code' | 'name' | 'narrowSymbol';
}

/** Throws a RangeError when Intl refuses the currency or the number of decimals. */
export function formatNumber(value: number, locale: string, options: NumberOptions = {}): string {
  const { style = 'decimal', currency, decimals, display = 'symbol' } = options;
  const key = `n|${locale}|${style}|${currency ?? ''}|${decimals ?? ''}|${display}`;
  return cached(
    key,
    () =>
      new Intl.NumberFormat(locale, {
        style,
        // Neither -0 nor what is rounded to it has a sign: nobody owes -€0.00.
        signDisplay: 'negative',
        ...(currency === undefined ? {} : { currency, currencyDisplay: display }),
        ...(decimals === undefined
          ? MOST_DECIMALS[style]
          : { minimumFractionDigits: decimals, maximumFractionDigits: decimals }),
      }),
  ).format(value);
}

/** Digits alone, without a sign. */
export function formatDigits(
  value: number,
  locale: string,
  how: {
    readonly grouping: boolean;
    readonly integers: number;
    readonly least: number;
    readonly most: number;
  },
): string {
  const { grouping, integers, least, most } = how;
  return cached(
    `w|${locale}|${grouping}|${integers}|${least}|${most}`,
    () =>
      new Intl.NumberFormat(locale, {
        useGrouping: grouping,
        minimumIntegerDigits: integers,
        minimumFractionDigits: least,
        maximumFractionDigits: most,
      }),
  ).format(value);
}

/** 2 for EUR, 0 for JPY, 3 for KWD; 2 where no currency is named. */
export function decimalsOf(currency: string): number {
  if (currency === '') return 2;
  const { maximumFractionDigits = 2 } = cached(
    `n|en-US|currency|${currency}||symbol`,
    () => new Intl.NumberFormat('en-US', { style: 'currency', currency }),
  ).resolvedOptions();
  return maximumFractionDigits;
}

export interface Moment {
  readonly time: number;
  /** False for a date, or a time of day without a zone: it is the same wherever the reader is. */
  readonly zoned: boolean;
  readonly dateOnly: boolean;
}

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d\d:?\d\d)?)?$/i;

/** ISO dates, as Salesforce and JSON write them; a number is milliseconds. */
export function parseMoment(value: unknown): Moment | undefined {
  if (value instanceof Date || typeof value === 'number') {
    const time = Number(value);
    return Math.abs(time) <= 8.64e15 ? { time, zoned: true, dateOnly: false } : undefined;
  }
  const match = typeof value === 'string' ? ISO.exec(value.trim()) : null;
  if (match === null) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', zone] = match;
  const milliseconds = Math.floor(Number(`0.${fraction}`) * 1000);
  const time = Date.UTC(
    ...([Number(year), Number(month) - 1, Number(day)] as const),
    ...([Number(hour), Number(minute), Number(second), milliseconds] as const),
  );
  const back = new Date(time);
  // Years before 100 come back as 19xx.
  const exists =
    back.getUTCFullYear() === Number(year) &&
    back.getUTCMonth() === Number(month) - 1 &&
    back.getUTCDate() === Number(day);
  if (!exists || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  return {
    time: time - offsetOf(zone),
    zoned: zone !== undefined,
    dateOnly: match[4] === undefined,
  };
}

function offsetOf(zone: string | undefined): number {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}

export type DateStyle = 'short' | 'medium' | 'long' | 'full';
export const DATE_STYLES: readonly string[] = ['short', 'medium', 'long', 'full'];

export function isDateStyle(word: string): word is DateStyle {
  return DATE_STYLES.includes(word);
}

export function formatDate(
  moment: Moment,
  { locale, timeZone }: FormatOptions,
  style: DateStyle | undefined,
  time: DateStyle | undefined,
): string {
  const zone = moment.zoned ? timeZone : 'UTC';
  const clock = moment.dateOnly ? undefined : time;
  const key = `d|${locale}|${zone}|${style ?? ''}|${clock ?? ''}`;
  return cached(
    key,
    () =>
      new Intl.DateTimeFormat(locale, {
        timeZone: zone,
        ...(style ? { dateStyle: style } : {}),
        ...(clock ? { timeStyle: clock } : {}),
      }),
  ).format(moment.time);
}

/** The pieces of a pattern: words in single quotes, which are kept as they are, and runs of one letter. */
export const PATTERN_PIECES = /'([^']*)'|([A-Za-z])\2*/g;

const PARTS: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  MMMM: { month: 'long', day: 'numeric' },
  MMM: { month: 'short', day: 'numeric' },
  EEEE: { weekday: 'long' },
  EEE: { weekday: 'short' },
  a: { hour: 'numeric', hour12: true },
};
const PART_NAMES: Readonly<Record<string, string>> = {
  MMMM: 'month',
  MMM: 'month',
  EEEE: 'weekday',
  EEE: 'weekday',
  a: 'dayPeriod',
};

export function formatPattern(
  moment: Moment,
  { locale, timeZone }: FormatOptions,
  pattern: string,
): string {
  const zone = moment.zoned ? timeZone : 'UTC';
  const digits = new Map<string, string>();
  const plain = cached(
    `p|${zone}`,
    () =>
      new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
        timeZone: zone,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',

        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      }),
  );
  for (const { type, value } of plain.formatToParts(moment.time)) digits.set(type, value);
  const two = (name: string) => (digits.get(name) ?? '').padStart(2, '0');
  const bare = (name: string) => String(Number(digits.get(name)));
  const noon = Number(digits.get('hour')) % 12 || 12;
  const named = (letters: string) =>
    cached(
      `l|${locale}|${zone}|${letters}`,
      () => new Intl.DateTimeFormat(locale, { timeZone: zone, ...PARTS[letters] }),
    )
      .formatToParts(moment.time)
      .find(({ type }) => type === PART_NAMES[letters])?.value ?? '';
  const values: Readonly<Record<string, () => string>> = {
    yyyy: () => (digits.get('year') ?? '').padStart(4, '0'),
    yy: () => (digits.get('year') ?? '').slice(-2),
    MM: () => two('month'),
    M: () => bare('month'),
    dd: () => two('day'),
    d: () => bare('day'),

    HH: () => two('hour'),
    H: () => bare('hour'),
    hh: () => String(noon).padStart(2, '0'),

    h: () => String(noon),
    mm: () => two('minute'),
    m: () => bare('minute'),

    ss: () => two('second'),
    s: () => bare('second'),
  };
  return pattern.replace(PATTERN_PIECES, (letters: string, quoted?: string) => {
    if (quoted !== undefined) return quoted;
    if (Object.hasOwn(PARTS, letters)) return named(letters);
    return Object.hasOwn(values, letters) ? (values[letters]?.() ?? '') : letters;
  });
}
