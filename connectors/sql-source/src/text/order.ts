import { type Token, tokensOf } from './tokens.ts';

export interface OutermostOrder {
  /** Where it begins. */
  readonly from: number;
  /** The names that it orders by, each upwards; null where it has anything else. */
  readonly names: readonly string[] | null;
}

/** With one of these, the ORDER BY decides which rows there are. */
const CHOOSES = new Set(['limit', 'offset', 'fetch']);

/**
 * The ORDER BY of a whole SELECT, where it decides about nothing but the order: whoever puts an ORDER BY of his own around it drops it.
 * Null: it has none, or it chooses rows by it (LIMIT, DISTINCT ON).
 */
export function outermostOrder(sql: string): OutermostOrder | null {
  const outer = outermost(tokensOf(sql));
  const isWord = (at: number, text: string) =>
    outer[at]?.kind === 'word' && outer[at]?.text === text;
  const at = outer.findLastIndex((_, index) => isWord(index, 'order') && isWord(index + 1, 'by'));
  const order = outer[at];
  if (order === undefined) return null;
  if (outer.some((_, index) => isWord(index, 'distinct') && isWord(index + 1, 'on'))) return null;
  const list = outer.slice(at + 2);
  if (list.some(({ kind, text }) => kind === 'word' && CHOOSES.has(text))) return null;
  return { from: order.from, names: namesOf(list) };
}

/** What is not in brackets; of those, the opening one is left, so that a call is not taken for a name. */
function outermost(tokens: readonly Token[]): Token[] {
  let depth = 0;
  return tokens.filter(({ kind, text }) => {
    if (kind !== 'symbol') return depth === 0;
    if (text === ')' || text === ']') depth -= 1;
    const isOuter = depth === 0;
    if (text === '(' || text === '[') depth += 1;
    return isOuter;
  });
}

/** `id`, `t.id ASC`. */
function namesOf(list: readonly Token[]): readonly string[] | null {
  const items: Token[][] = [[]];
  for (const token of list) {
    if (token.kind === 'symbol' && token.text === ',') items.push([]);
    else items.at(-1)?.push(token);
  }
  const names = items.map((item) => {
    const last = item.at(-1);
    const column = last?.kind === 'word' && last.text === 'asc' ? item.slice(0, -1) : item;
    const [first, point, second] = column;
    const name = column.length === 3 && point?.text === '.' ? second : first;
    const isName =
      (column.length === 1 || column.length === 3) && /^(word|quoted)$/.test(name?.kind ?? '');
    return isName ? (name?.text ?? null) : null;
  });
  return names.includes(null) ? null : names.filter((name) => name !== null);
}
