import type { Condition, Value } from './plan.ts';
import type { Lookup } from './references.ts';

/** Whether all of them hold. A value that is not there, as of a step that was skipped, is null. */
export function holds(conditions: readonly Condition[], lookup: Lookup): boolean {
  return conditions.every((condition) => isMet(condition, lookup));
}

function isMet({ of, test, value }: Condition, lookup: Lookup): boolean {
  const found = lookup(of) ?? null;
  const wanted: Value[] = [value].flat();
  if (test === 'is' || test === 'oneOf') return wanted.some((each) => isSame(found, each));
  if (test === 'isNot') return !wanted.some((each) => isSame(found, each));
  const [bound = null] = wanted;
  if (found === null || bound === null || Array.isArray(found)) return false;
  const order = compared(found as Value, bound);
  switch (test) {
    case 'above':
      return order > 0;
    case 'atLeast':
      return order >= 0;
    case 'below':
      return order < 0;
    case 'atMost':
      return order <= 0;
  }
}

/** Of a list, one of its values is enough. A number is the same as the text that writes it. */
function isSame(found: Value | readonly Value[], wanted: Value): boolean {
  if (Array.isArray(found)) return found.some((each: Value) => isSame(each, wanted));
  if (found === null || wanted === null) return found === wanted;
  return String(found) === String(wanted);
}

/** As numbers where both are; else as texts, which is right for dates. */
function compared(found: Value, bound: Value): number {
  const [a, b] = [numberOf(found), numberOf(bound)];
  if (a !== null && b !== null) return a - b;
  const [left, right] = [String(found), String(bound)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function numberOf(value: Value): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.trim() === '') return null;
  const number = Number(value);
  return Number.isNaN(number) ? null : number;
}

/** For people: `customers.rows above 0`. */
export function inWords({ of, test, value }: Condition): string {
  const words = { isNot: 'is not', atLeast: 'at least', atMost: 'at most', oneOf: 'one of' };
  const word = test in words ? words[test as keyof typeof words] : test;
  return `${of} ${word} ${[value].flat().map(String).join(', ')}`;
}
