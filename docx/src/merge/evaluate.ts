import type { CallExpression, Expression, PathExpression } from '../compile/expression.ts';
import { type Place, TemplateError } from '../errors.ts';
import {
  type FormatOptions,
  type Moment,
  canonicalLocale,
  formatDate,
  formatNumber,
  formatPattern,
  isDateStyle,
  isTimeZone,
  parseMoment,
  toNumber,
} from '../helpers/format.ts';
import { readAmount, readMoment, readNumber, readPercent } from '../helpers/read-text.ts';
import { type Reading, isEqual, order, unread } from './compare.ts';
import { type Scope, follow, isTruthy, listOf, textOf } from './scope.ts';

export interface Evaluation extends FormatOptions, Reading {
  readonly scope: Scope;
  readonly strict: boolean;
}

/** What an expression is worth. `place` is given where a missing field is an error in strict mode. */
export function evaluate(value: Expression, on: Evaluation, place: Place | undefined): unknown {
  if (value.kind === 'literal') return value.value;
  if (value.kind === 'call') return call(value, on, place);
  const found = on.scope.look(value);
  if (found !== undefined) return found;
  const base = withoutSuffix(value);
  const plain = base && on.scope.look(base);
  if (plain !== undefined)
    return typeof plain === 'number' ? formatNumber(plain, on.locale) : plain;
  if (on.strict && place) {
    throw new TemplateError('missing_field', `The data has no "${value.text}".`, place);
  }
  return undefined;
}

const FORMATTED = '__formatted';

/** `Amount__formatted` is text that the sender prepared; without it the plain `Amount` stands in. */
function withoutSuffix(path: PathExpression): PathExpression | undefined {
  const last = path.keys.at(-1);
  if (!last?.endsWith(FORMATTED)) return undefined;
  return { ...path, keys: [...path.keys.slice(0, -1), last.slice(0, -FORMATTED.length)] };
}

type Helper = (args: Args) => unknown;

interface Args {
  readonly on: Evaluation;
  readonly place: Place | undefined;
  /** The nth argument; missing fields are errors in strict mode. */
  need(n: number): unknown;
  /** The nth argument; a missing field is just undefined. */
  may(n: number): unknown;
  named(name: string): unknown;
  readonly count: number;
}

const CALLS: Readonly<Record<string, Helper>> = {
  eq: ({ may, on }) => isEqual(may(0), may(1), on),
  ne: ({ may, on }) => !isEqual(may(0), may(1), on),
  gt: (args) => order(args.may(0), args.may(1), args.on, args.place) > 0,
  gte: (args) => order(args.may(0), args.may(1), args.on, args.place) >= 0,
  lt: (args) => order(args.may(0), args.may(1), args.on, args.place) < 0,
  lte: (args) => order(args.may(0), args.may(1), args.on, args.place) <= 0,
  and: ({ may, count }) => indexes(count).every((n) => isTruthy(may(n))),
  or: ({ may, count }) => indexes(count).some((n) => isTruthy(may(n))),
  not: ({ may }) => !isTruthy(may(0)),
  default: ({ may }) => {
    const first = may(0);
    return first === undefined || first === null || first === '' ? may(1) : first;
  },
  upper: ({ need, on }) => textOf(need(0)).toLocaleUpperCase(on.locale),
  lower: ({ need, on }) => textOf(need(0)).toLocaleLowerCase(on.locale),
  count: ({ need }) => listOf(need(0))?.length ?? 1,
  sum,
  join,
  number: (args) => asNumber(args, 'decimal'),
  percent: (args) => asNumber(args, 'percent'),
  currency: (args) => asNumber(args, 'currency'),
  date,
};

function call(value: CallExpression, on: Evaluation, place: Place | undefined): unknown {
  const { name, args, named } = value;
  const helper = Object.hasOwn(CALLS, name) ? CALLS[name] : undefined;
  if (helper === undefined) {
    throw new TemplateError(
      'bad_tag',
      `"${name}" draws something and cannot stand inside another helper.`,
      place,
    );
  }
  const at = (n: number, where: Place | undefined) => {
    const arg = args[n];
    return arg === undefined ? undefined : evaluate(arg, on, where);
  };
  return helper({
    on,
    place,
    count: args.length,
    need: (n) => at(n, place),
    may: (n) => at(n, undefined),
    named: (key) => {
      const arg = named.get(key);
      // An option is a bare word (code=EUR) when the data has no such field.
      if (arg === undefined) return undefined;
      return evaluate(arg, on, undefined) ?? (arg.kind === 'path' ? arg.text : undefined);
    },
  });
}

function indexes(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}

function items({ need, on, place }: Args): readonly unknown[] {
  const list = listOf(need(0));
  if (list) return list;
  if (on.strict) throw new TemplateError('not_a_list', 'The value is not a list.', place);
  return [];
}

/** The values as numbers, added without the crumbs of binary fractions (0.1 + 0.2). */
function sum(args: Args): number {
  const field = args.count > 1 ? textOf(args.may(1)).split('.') : [];
  let total = 0;
  let decimals = 0;
  for (const item of items(args)) {
    const value = follow(item, field);
    const number = toNumber(value);
    if (number === undefined) {
      if (args.on.strict && value !== null) {
        throw new TemplateError(
          'bad_value',
          `"${field.join('.')}" holds no number to add.`,
          args.place,
        );
      }
      continue;
    }
    total += number;
    decimals = Math.max(decimals, /\.(\d+)$/.exec(String(number))?.[1]?.length ?? 0);
  }
  return Number(total.toFixed(Math.min(decimals, 15)));
}

function join(args: Args): string {
  const list = items(args);
  const second = textOf(args.may(1));
  const hasField =
    args.count === 3 || (args.count === 2 && typeof list[0] === 'object' && list[0] !== null);
  const separator =
    args.count === 3 ? textOf(args.may(2)) : args.count === 2 && !hasField ? second : ', ';
  return list
    .map((item) => textOf(hasField ? follow(item, second.split('.')) : item))
    .filter((text) => text !== '')
    .join(separator);
}

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

function asNumber(args: Args, style: 'decimal' | 'percent' | 'currency'): string {
  const given = args.need(0);
  const value = numberOf(given, style, args);
  if (value === undefined) return notAs('number', given, args);
  const asked = args.named('decimals') ?? (style === 'currency' ? undefined : args.may(1));
  const decimals = asked === undefined ? undefined : toNumber(asked);
  const locale = localeOf(args);
  try {
    if (style !== 'currency') return formatNumber(value, locale, { style, decimals });
    const code = currencyOf(args);
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

function numberOf(
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

const CURRENCY_FIELD: PathExpression = {
  kind: 'path',
  text: 'CurrencyIsoCode',
  up: 0,
  keys: ['CurrencyIsoCode'],
  meta: undefined,
};

/** The code given, or the record's own. */
function currencyOf({ may, named, on }: Args): string {
  return textOf(named('code') ?? may(1) ?? on.scope.look(CURRENCY_FIELD)).trim();
}

function date(args: Args): string {
  const given = args.need(0);
  const moment = momentOf(given, args);
  if (moment === undefined) return notAs('date', given, args);
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
  if (style !== 'none' && !isDateStyle(style)) return formatPattern(moment, options, style);
  const clock = isDateStyle(time) ? time : undefined;
  return formatDate(moment, options, isDateStyle(style) ? style : undefined, clock);
}

/** A bare number in a spreadsheet is no date: 46342 would be printed as a minute of 1970. */
function momentOf(given: unknown, { on: { dataLocale } }: Args): Moment | undefined {
  if (dataLocale === undefined) return parseMoment(given);
  return typeof given === 'string' ? readMoment(given, dataLocale) : undefined;
}

/** Empty stays empty; other text is written as it is, or refused in strict mode and in rows of a spreadsheet. */
function notAs(what: 'number' | 'date', given: unknown, { on, place }: Args): string {
  const text = textOf(given);
  if (text.trim() !== '' && on.dataLocale !== undefined)
    throw unread(what, text, on.dataLocale, place);
  if (text !== '' && on.strict) {
    throw new TemplateError('bad_value', `"${text.slice(0, 60)}" is no ${what}.`, place);
  }
  return text;
}
