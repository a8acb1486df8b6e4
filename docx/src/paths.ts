/**
 * Paths as reports and templates name them: `Order.Lines[].Name`, where `[]` marks a list. A key with a dot or a bracket
 * of its own stands in brackets: `[Nr.]`.
 */
export interface Step {
  readonly key: string;
  /** How many lists it is: `Rows[][]` is a list of lists. */
  readonly lists: number;
}

export function stepsOf(path: string): Step[] {
  const steps = path.matchAll(/(?:^|\.)(?:\[([^\]]+)\]|([^.]*?))((?:\[\])*)(?=\.|$)/g);
  return [...steps].map(([, bracketed, plain = '', lists = '']) => ({
    key: bracketed ?? plain,
    lists: lists.length / 2,
  }));
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
