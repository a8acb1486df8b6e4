/**
 * Paths as reports and templates name them: `Order.Lines[].Name`, where `[]` marks a list. A key with a dot or a bracket
 * of its own stands in brackets: `[Nr.]`.
 */
export interface Step {
  readonly key: string;
  /** How many lists it is: `Rows[][]` is a list of lists. */
  readonly lists: number;
}

/** From dot to dot, but for those within brackets. */
export function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  // The bracket that closes next, and what follows it: looked for once, however many open before it.
  let close = -1;
  let after = { lists: 0, end: 0 };
  for (let at = 0; at <= path.length; at++) {
    if (path[at] === '[' && close < at) {
      close = path.indexOf(']', at);
      if (close === -1) close = path.length;
      after = listsFrom(path, close + 1);
    }
    const isBracketed = path[at] === '[' && close > at + 1 && isEnd(path, after.end);
    const end = isBracketed ? after.end : endOfKey(path, at);
    if (isBracketed) steps.push({ key: path.slice(at + 1, close), lists: after.lists });
    else steps.push(plainStep(path.slice(at, end)));
    at = end;
  }
  return steps;
}

function isEnd(path: string, at: number): boolean {
  return at === path.length || path[at] === '.';
}

function endOfKey(path: string, at: number): number {
  const dot = path.indexOf('.', at);
  return dot === -1 ? path.length : dot;
}

function listsFrom(path: string, from: number): { lists: number; end: number } {
  let end = from;
  while (path.startsWith('[]', end)) end += 2;
  return { lists: (end - from) / 2, end };
}

function plainStep(text: string): Step {
  let end = text.length;
  while (end >= 2 && text.startsWith('[]', end - 2)) end -= 2;
  return { key: text.slice(0, end), lists: (text.length - end) / 2 };
}

export function keysOf(path: string): string[] {
  return stepsOf(path).map(({ key }) => key);
}

export function pathOf(keys: readonly string[]): string {
  return keys.map((key) => (/[.[]/.test(key) ? `[${key}]` : key)).join('.');
}

/**
 * The keys of a column's name, which is also that of a MERGEFIELD: dots make objects (`Account.Name`), but `Nr.`,
 * `1. Rate` and `Tel. (home)` are names as people write them.
 */
export function keysOfColumn(name: string): string[] {
  const keys = name.split('.').map((key) => key.trim());
  return keys.includes('') || /\.\s/.test(name) ? [name] : keys;
}

const PLAIN = /^[\p{L}\p{M}\p{N}_$-]+$/u;

export function isPlainKey(key: string): boolean {
  return PLAIN.test(key);
}

/** As a tag names the field: `[First Name]`. */
export function keyInTag(key: string): string {
  return isPlainKey(key) ? key : `[${key}]`;
}

/** The field that a tag's path means, by the name that reports have for it: `@root.[First Name]` is `First Name`. */
export function fieldOfPath(text: string): string {
  const path = text.replace(/^(?:\.\.\/|\.\/|@root\.|this\.)+/, '');
  return pathOf(keysOf(path)).replace(/__formatted$/, '');
}
