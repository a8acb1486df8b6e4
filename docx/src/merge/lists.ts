import { type Place, TemplateError } from '../errors.ts';
import { fieldOfPath, keyInTag, keysOf } from '../paths.ts';
import { type Args, isEmpty, readingOf } from './args.ts';
import { numberOf } from './formatted.ts';
import { follow, listOf, textOf } from './scope.ts';
import { unread } from './unread.ts';

/** One that the tag works out itself has no path. */
const LIST = 'the list';

/** A value that is no list has no sum and no count: 0 and 1 would be wrong figures in a sound document. */
export function items({ need, source = LIST, place }: Args): readonly unknown[] {
  const value = need(0);
  const list = listOf(value);
  if (list) return list;
  throw notAList(source, value, place);
}

export function notAList(path: string, value: unknown, place: Place | undefined): TemplateError {
  const message = `"${path}" is no list but "${textOf(value).slice(0, 60)}".`;
  return new TemplateError('not_a_list', message, { ...place, field: fieldOfPath(path) });
}

/** The values as numbers, added without the crumbs of binary fractions (0.1 + 0.2). What is empty adds nothing. */
export function sum(args: Args): number {
  const { on, place, source = LIST } = args;
  const field = args.count > 1 ? keysOf(textOf(args.may(1))) : [];
  let total = 0;
  let decimals = 0;
  for (const [index, item] of items(args).entries()) {
    const value = follow(item, field);
    const at = () => [source, index, ...field.map(keyInTag)].join('.');
    if (value === undefined && on.strict)
      throw new TemplateError('missing_field', `The data has no "${at()}".`, place);
    if (isEmpty(value)) continue;
    const number = numberOf(value, 'decimal', args);
    if (number === undefined) throw unread('number', { value, at: at() }, readingOf(args));
    total += number;
    decimals = Math.max(decimals, decimalsOf(number));
  }
  return Number(decimals > 15 ? total.toPrecision(15) : total.toFixed(decimals));
}

/** How many digits stand behind the point: 7 for 1e-7. */
function decimalsOf(number: number): number {
  const [digits = '', exponent = '0'] = String(number).split('e');
  return (digits.split('.')[1]?.length ?? 0) - Number(exponent);
}

export function join(args: Args): string {
  const { source = LIST } = args;
  const list = items(args);
  const second = textOf(args.may(1));
  const hasField = args.count === 3 || (args.count === 2 && list.some(isRecord));
  const separator =
    args.count === 3 ? textOf(args.may(2)) : args.count === 2 && !hasField ? second : ', ';
  return list
    .map((item, index) => {
      const value = hasField ? follow(item, keysOf(second)) : item;
      if (!isRecord(value)) return textOf(value);
      const at = hasField ? `${source}.${index}.${second}` : `${source}.${index}`;
      const message = `${at} is no text but has fields. Name one: {{join ${source} "Name"}}.`;
      throw new TemplateError('bad_value', message, args.place);
    })
    .filter((text) => text !== '')
    .join(separator);
}

function isRecord(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && !(value instanceof Date || Array.isArray(value))
  );
}
