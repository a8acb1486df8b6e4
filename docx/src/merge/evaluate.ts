import type { CallExpression, Expression, PathExpression } from '../compile/tags/expression.ts';
import { type Place, TemplateError } from '../errors.ts';
import { formatNumber, toNumber } from '../helpers/format.ts';
import { fieldOfPath } from '../paths.ts';
import { type Args, type Evaluation, isEmpty, readingOf } from './args.ts';
import { asNumber, date, wordDate, wordNumber } from './formatted.ts';
import { items, join, sum } from './lists.ts';
import { printed } from './printable.ts';
import { isTruthy, textOf } from './scope.ts';
import { equalInSheet, type Operand, orderInSheet } from './compare-sheet.ts';
import { type Reading, unread } from './unread.ts';

/** The value of an expression. `place` is given where a missing field is an error in strict mode. */
export function evaluate(value: Expression, on: Evaluation, place: Place | undefined): unknown {
  if (value.kind === 'literal') return value.value;
  if (value.kind === 'call') return call(value, on, place);
  const found = value.plain ? formattedOf(value, value.plain, on) : on.scope.look(value);
  if (found !== undefined) return found;
  if (on.strict && place) {
    const about = { ...place, field: fieldOfPath(value.text) };
    throw new TemplateError('missing_field', `The data has no "${value.text}".`, about);
  }
  return undefined;
}

/** Whether a condition is so. A missing field is part of the question; a value that cannot be compared is an error. */
export function holds(test: Expression, on: Evaluation, place: Place): boolean {
  return located(place, () => isTruthy(evaluate(test, on, undefined), on.dataLocale));
}

/** Errors from where a missing field is none come without a place. */
function located<T>(place: Place | undefined, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof TemplateError) || error.part !== undefined || !place) throw error;
    throw new TemplateError(error.code, error.message, { ...place, field: error.field });
  }
}

/** The text that the sender prepared, or the plain value, from the innermost item that has one of them. */
function formattedOf(
  path: PathExpression,
  plain: PathExpression,
  { scope, locale }: Evaluation,
): unknown {
  const up = path.outwards ? scope.levelOf([path, plain]) : path.up;
  const text = scope.look({ ...path, up, outwards: false });
  if (text !== undefined) return text;
  const value = scope.look({ ...plain, up, outwards: false });
  return typeof value === 'number' ? formatNumber(value, locale) : value;
}

type Helper = (args: Args) => unknown;

const CALLS: Readonly<Record<string, Helper>> = {
  eq: (args) => isEqual(args.operand(0), args.operand(1), readingOf(args)),
  ne: (args) => !isEqual(args.operand(0), args.operand(1), readingOf(args)),
  gt: (args) => orderOf(args) > 0,
  gte: (args) => orderOf(args) >= 0,
  lt: (args) => orderOf(args) < 0,
  lte: (args) => orderOf(args) <= 0,
  and: ({ may, count, on }) => indexes(count).every((n) => isTruthy(may(n), on.dataLocale)),
  or: ({ may, count, on }) => indexes(count).some((n) => isTruthy(may(n), on.dataLocale)),
  not: ({ may, on }) => !isTruthy(may(0), on.dataLocale),
  default: ({ may }) => {
    const first = may(0);
    return first === undefined || first === null || first === '' ? may(1) : first;
  },
  upper: ({ text, on }) => text(0).toLocaleUpperCase(on.locale),
  lower: ({ text, on }) => text(0).toLocaleLowerCase(on.locale),
  count: (args) => items(args).length,
  sum,
  join,
  number: (args) => asNumber(args, 'decimal'),
  percent: (args) => asNumber(args, 'percent'),
  currency: (args) => asNumber(args, 'currency'),
  date,
  // The formats of the switches of Word's own fields.
  wordDate,
  wordNumber,
  caps: ({ text, on }) => capitals(text(0), on.locale, /(?<![\p{L}\p{N}'\u2019])\p{L}/gu),
  firstCap: ({ text, on }) => capitals(text(0), on.locale, /\p{L}/u),
  around: ({ text }) => {
    const inner = text(0);
    return inner === '' ? '' : `${text(1)}${inner}${text(2)}`;
  },
};

function capitals(text: string, locale: string, letters: RegExp): string {
  return text.replace(letters, (letter) => letter.toLocaleUpperCase(locale));
}

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
  const given: Args = {
    on,
    place,
    count: args.length,
    source: sourceOf(args[0]),
    need: (n) => noted(on, () => at(n, place)),
    text: (n) => noted(on, () => printed(at(n, place), args[n], on, place)) ?? '',
    may: (n) => at(n, undefined),
    operand: (n) => ({
      value: at(n, undefined),
      at: sourceOf(args[n]),
      isLiteral: args[n]?.kind === 'literal',
    }),
    named: (key) => {
      const arg = named.get(key);
      // An option is a bare word (code=EUR) when the data has no such field.
      if (arg === undefined) return undefined;
      return evaluate(arg, on, undefined) ?? (arg.kind === 'path' ? arg.text : undefined);
    },
  };
  return located(place, () => helper(given));
}

/** The value of something; where that cannot be known it is a problem, and what stands behind it is looked at all the same. */
export function noted<T>(on: Evaluation, read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    on.problems.note(thrown);
    return undefined;
  }
}

function orderOf(args: Args): number {
  return order(args.operand(0), args.operand(1), readingOf(args));
}

function sourceOf(arg: Expression | undefined): string | undefined {
  return arg?.kind === 'path' ? arg.text : undefined;
}

function indexes(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}

function isEqual(left: Operand, right: Operand, on: Reading): boolean {
  const [a, b] = [left.value, right.value];
  if (a === null || a === undefined || b === null || b === undefined)
    return (a ?? null) === (b ?? null);
  const { dataLocale } = on;
  if (dataLocale !== undefined) return equalInSheet(left, right, { ...on, dataLocale });
  const [x, y] = [toNumber(a), toNumber(b)];
  if (typeof a !== typeof b && x !== undefined && y !== undefined) return x === y;
  return typeof a === typeof b ? a === b : textOf(a) === textOf(b);
}

/** NaN when one is missing or empty, which is neither more nor less. Beside a number there has to be one. */
function order(left: Operand, right: Operand, on: Reading): number {
  const [a, b] = [left.value, right.value];
  if (isEmpty(a) || isEmpty(b)) return NaN;
  const { dataLocale } = on;
  if (dataLocale !== undefined) return orderInSheet(left, right, { ...on, dataLocale });
  const [x, y] = [toNumber(a), toNumber(b)];
  if (x !== undefined && y !== undefined) return x - y;
  const other = typeof a === 'number' ? right : typeof b === 'number' ? left : undefined;
  if (typeof other?.value === 'string') throw unread('number', other, on);
  // Text as text, which orders ISO dates too.
  const [s, t] = [textOf(a), textOf(b)];
  return s < t ? -1 : s > t ? 1 : 0;
}
