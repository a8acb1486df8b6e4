import { TemplateError } from '../errors.ts';
import {
  DATE_STYLES,
  type Moment,
  canonicalLocale,
  decimalsOf,
  formatDate,
  formatNumber,
  formatPattern,
  isDateStyle,
  isTimeZone,
  parseMoment,
  toNumber,
} from '../helpers/format.ts';
import { wrongPattern } from '../helpers/date-pattern.ts';
import { readNumberPicture, writeNumberPicture } from '../helpers/number-picture.ts';
import { fieldOfPath } from '../paths.ts';
import { namedPath } from '../compile/tags/path.ts';
import {
  mayBeThousands,
  readAmount,
  readMoment,
  readNumber,
  readPercent,
} from '../helpers/read-text.ts';
import { type Args, isEmpty, readingOf } from './args.ts';
import { textOf } from './scope.ts';
import { field, unread } from './unread.ts';

function localeOf(args: Args): string {
  const own = args.named('locale');
  if (own === undefined) return args.on.locale;
  const locale = canonicalLocale(textOf(own));
  if (locale === undefined) {
    throw new TemplateError(
      'bad_locale',
      `"${textOf(own)}" is no locale; write it like de-DE.`,
      args.place,
    );
  }
  return locale;
}

export function asNumber(args: Args, style: 'decimal' | 'percent' | 'currency'): string {
  const given = args.need(0);
  if (isEmpty(given)) return '';
  const value = numberOf(given, style, args);
  if (value === undefined)
    throw unread('number', { value: given, at: args.source }, readingOf(args));
  const asked = args.named('decimals') ?? (style === 'currency' ? undefined : args.may(1));
  const decimals = toNumber(asked);
  if (decimals === undefined && !isEmpty(asked))
    throw new TemplateError('bad_value', `decimals=${textOf(asked)} is no number.`, args.place);
  const locale = localeOf(args);
  const code = style === 'currency' ? currencyOf(args) : '';
  if (style === 'currency') checkDecimals(given, value, { args, code, decimals });
  try {
    if (style !== 'currency') return formatNumber(value, locale, { style, decimals });
    if (code === '') return formatNumber(value, locale, { decimals: decimals ?? 2 });
    const display = args.named('display') as 'symbol' | 'code' | 'name' | undefined;
    return formatNumber(value, locale, {
      style,
      currency: code,
      decimals,
      display: display ?? 'symbol',
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new TemplateError(
      'bad_value',
      `The number cannot be written so: ${error.message}.`,
      args.place,
    );
  }
}

export function numberOf(
  given: unknown,
  style: 'decimal' | 'percent' | 'currency',
  args: Args,
): number | undefined {
  const { dataLocale } = args.on;
  if (dataLocale === undefined || typeof given !== 'string') return toNumber(given);
  if (style === 'percent') return readPercent(given, dataLocale);
  return style === 'decimal'
    ? readNumber(given, dataLocale)
    : readAmount(given, dataLocale, currencyOf(args));
}

const CURRENCY_FIELD = namedPath('CurrencyIsoCode', ['CurrencyIsoCode']);

/** The code given, or the one of the record or of what it stands in. */
function currencyOf({ operand, named, on, place }: Args): string {
  const second = operand(1);
  const own = { value: on.scope.look(CURRENCY_FIELD), at: CURRENCY_FIELD.text };
  const option = { value: named('code'), at: undefined };
  const { value, at } = [option, second, own].find((one) => !isMissing(one.value)) ?? own;
  const code = textOf(value).trim();
  if (code === '' || /^[A-Za-z]{3}$/.test(code)) return code;
  throw new TemplateError(
    'bad_value',
    `${field(at)}"${code.slice(0, 60)}" is no currency code; write its three letters, like EUR or USD.`,
    { ...place, field: at === undefined ? undefined : fieldOfPath(at) },
  );
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** A third decimal that the currency does not have is most likely a thousand: 44.800 from a German file, read in en-US. */
function checkDecimals(
  given: unknown,
  value: number,
  { args, code, decimals }: { args: Args; code: string; decimals: number | undefined },
): void {
  const { dataLocale } = args.on;
  if (dataLocale === undefined || typeof given !== 'string') return;
  if (!mayBeThousands(given, dataLocale, code)) return;
  const shown = decimals ?? decimalsOf(code);
  if (shown >= 3) return;
  const [exact, thousands] = [
    formatNumber(value, dataLocale),
    formatNumber(value * 1000, dataLocale),
  ];
  throw new TemplateError(
    'bad_value',
    `${field(args.source)}"${given.trim()}" is ${exact} in ${dataLocale}, with three decimals where ${code === '' ? 'an amount' : code} has ${shown}. If it means ${thousands}, name the locale that the file is written in (--data-locale).`,
    { ...args.place, field: args.source === undefined ? undefined : fieldOfPath(args.source) },
  );
}

/** A date by the letters of Word's `\@`, which compiling has turned into ours. Word too prints minutes beside days; lint warns. */
export function wordDate(args: Args): string {
  const given = args.need(0);
  if (isEmpty(given)) return '';
  const { locale, timeZone } = args.on;
  return formatPattern(readDate(given, args), { locale, timeZone }, textOf(args.may(1)));
}

/** A number by Word's `\#`. */
export function wordNumber(args: Args): string {
  const given = args.need(0);
  if (isEmpty(given)) return '';
  const value = numberOf(given, 'decimal', args);
  const picture = readNumberPicture(textOf(args.may(1)));
  if (value === undefined || picture === undefined)
    throw unread('number', { value: given, at: args.source }, readingOf(args));
  return writeNumberPicture(value, args.on.locale, picture);
}

function readDate(given: unknown, args: Args): Moment {
  const moment = momentOf(given, args);
  if (moment !== undefined) return moment;
  throw unread('date', { value: given, at: args.source }, readingOf(args));
}

export function date(args: Args): string {
  const given = args.need(0);
  if (isEmpty(given)) return '';
  const moment = readDate(given, args);
  const zone = args.named('timeZone');
  const timeZone = zone === undefined ? args.on.timeZone : textOf(zone);
  if (!isTimeZone(timeZone)) {
    throw new TemplateError(
      'bad_locale',
      `"${timeZone}" is no time zone; write it like Europe/Berlin.`,
      args.place,
    );
  }
  const options = { locale: localeOf(args), timeZone };
  const style = textOf(args.may(1) ?? args.named('style') ?? 'medium');
  const time = textOf(args.named('time'));
  const clock = isDateStyle(time) ? time : undefined;
  if (clock === undefined && time !== '')
    throw new TemplateError(
      'bad_value',
      `time="${time}" is none of ${DATE_STYLES.join(', ')}.`,
      args.place,
    );
  if (style !== 'none' && !isDateStyle(style)) {
    const wrong = wrongPattern(style);
    if (wrong !== undefined) throw new TemplateError('bad_value', wrong, args.place);
    return formatPattern(moment, options, style);
  }
  return formatDate(moment, options, isDateStyle(style) ? style : undefined, clock);
}

/** A bare number in a spreadsheet is no date: 46342 would be printed as a minute of 1970. */
function momentOf(given: unknown, { on: { dataLocale } }: Args): Moment | undefined {
  if (dataLocale === undefined) return parseMoment(given);
  return typeof given === 'string' ? readMoment(given, dataLocale) : undefined;
}
