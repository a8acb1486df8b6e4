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
  const outer = outermost(unwrapped(tokensOf(sql)));
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

/** Without brackets around all of it, or around all that follows its WITH. */
function unwrapped(tokens: readonly Token[]): readonly Token[] {
  const last = tokens.at(-1);
  if (last?.kind !== 'symbol' || last.text !== ')') return tokens;
  let depth = 0;
  const opening = tokens.findLastIndex(({ kind, text }) => {
    if (kind === 'symbol' && (text === ')' || text === ']')) depth += 1;
    if (kind === 'symbol' && (text === '(' || text === '[')) depth -= 1;
    return depth === 0;
  });
  const before = tokens[opening - 1];
  const isBehindWith =
    tokens[0]?.text === 'with' && before?.kind === 'symbol' && before.text === ')';
  return opening === 0 || isBehindWith ? unwrapped(tokens.slice(opening + 1, -1)) : tokens;
}

/** The tokens that are not in brackets; of those, the opening one is left, so that a call is not taken for a name. */
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

/** `id`, `t.id ASC NULLS LAST`: a key has no NULL. */
function namesOf(list: readonly Token[]): readonly string[] | null {
  const items: Token[][] = [[]];
  for (const token of list) {
    if (token.kind === 'symbol' && token.text === ',') items.push([]);
    else items.at(-1)?.push(token);
  }
  const names = items.map((item) => {
    const nulls = item.at(-2)?.text === 'nulls' ? item.slice(0, -2) : item;
    const last = nulls.at(-1);
    const column = last?.kind === 'word' && last.text === 'asc' ? nulls.slice(0, -1) : nulls;
    const isQualified = column.length === 3 && column[1]?.text === '.';
    const name = isQualified || column.length === 1 ? column.at(-1) : undefined;
    return name?.kind === 'word' || name?.kind === 'quoted' ? name.text : null;
  });
  return names.includes(null) ? null : names.filter((name) => name !== null);
}
