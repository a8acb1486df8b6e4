import type { Bounds, Properties } from './records.ts';
import { RetrieveRefusal } from './view.ts';
import { type Node, child, children, textAt, typeOf } from './xml.ts';

export type Filter = (record: Properties) => boolean;

/** SimpleFilterPart and ComplexFilterPart of the partner WSDL. Text is compared without regard to case. */
export function compileFilter(
  node: Node | undefined,
  filterable: readonly string[],
  bounds: Bounds = {},
): Filter {
  if (node === undefined) return () => true;
  return typeOf(node) === 'ComplexFilterPart' || child(node, 'LeftOperand') !== undefined
    ? complex(node, filterable, bounds)
    : simple(node, filterable, bounds);
}

function complex(node: Node, filterable: readonly string[], bounds: Bounds): Filter {
  const parts = [
    ...children(node, 'LeftOperand'),
    ...children(node, 'RightOperand'),
    ...children(child(node, 'AdditionalOperands'), 'Operand'),
  ].map((part) => compileFilter(part, filterable, bounds));
  const operator = textAt(node, 'LogicalOperator')?.toUpperCase();
  if (operator === 'AND') return (record) => parts.every((part) => part(record));
  if (operator === 'OR') return (record) => parts.some((part) => part(record));
  throw new RetrieveRefusal(`LogicalOperator ${operator ?? ''} is not valid.`);
}

type Compare = (value: string, wanted: readonly string[]) => boolean;

const OPERATORS: Readonly<Record<string, Compare>> = {
  equals: (value, [first]) => value === first,
  notequals: (value, [first]) => value !== first,
  greaterthan: (value, [first = '']) => value > first,
  greaterthanorequal: (value, [first = '']) => value >= first,
  lessthan: (value, [first = '']) => value < first,
  lessthanorequal: (value, [first = '']) => value <= first,
  between: (value, [low = '', high = '']) => value >= low && value <= high,
  in: (value, wanted) => wanted.includes(value),
  like: (value, [first = '']) => isLike(value, first),
};

function simple(node: Node, filterable: readonly string[], bounds: Bounds): Filter {
  const property = textAt(node, 'Property') ?? '';
  const operator = (textAt(node, 'SimpleOperator') ?? '').toLowerCase();
  const name = filterable.find((each) => each.toLowerCase() === property.toLowerCase());
  if (name === undefined) {
    throw new RetrieveRefusal(`The Filter Property '${property}' is not valid for this object.`);
  }
  const bound = bounds[name];
  if (bound === 'any') return () => true;
  if (operator === 'isnull') return (record) => (record[name] ?? null) === null;
  if (operator === 'isnotnull') return (record) => (record[name] ?? null) !== null;
  const bounded = { from: 'greaterthanorequal', to: 'lessthanorequal' };
  const asked = bound === undefined ? operator : bounded[bound];
  const compare = Object.hasOwn(OPERATORS, asked) ? OPERATORS[asked] : undefined;
  if (compare === undefined) {
    throw new RetrieveRefusal(`SimpleOperator ${operator} is not valid.`);
  }
  const wanted = [...children(node, 'Value'), ...children(node, 'DateValue')].map((value) =>
    (textAt(value) ?? '').toLowerCase(),
  );
  if (wanted.length === 0) throw new RetrieveRefusal('A filter has no value.');
  return (record) => {
    const value = record[name] ?? null;
    return value !== null && compare(value.toLowerCase(), wanted);
  };
}

/**
 * With `%` it is a pattern. Without, it is found anywhere: recorded answers of sfmc-devtools give every address for
 * `Email like @`.
 */
function isLike(value: string, pattern: string): boolean {
  if (!pattern.includes('%')) return value.includes(pattern);
  const parts = pattern.split('%').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(value);
}
