/** The content of parentheses; the whole text is one too. */
export interface Group {
  readonly items: Item[];
  /** The cursor is in it, or in one inside. */
  readonly hasCursor: boolean;
}

/** A token as it is written, the cursor, or what stands in parentheses. */
export type Item = string | Group;

/** No token: texts are left out. */
export const CURSOR = "'";

const TOKEN =
  /'(?:[^']|'')*(?:'|$)|--[^\n]*|\/\*[^]*?(?:\*\/|$)|\[(?:[^\]]|\]\])*\]|"[^"]*"|[\p{L}_#@][\p{L}\p{N}_$#@]*|\d[\d.]*|\S/gu;
/** A name that is being typed: perhaps a bracket without its partner. */
const BEGUN = /(?:\[[^\]\n]*|[\p{L}_#][\p{L}\p{N}_$#@]*)$/u;
const REST = /^(?:[\p{L}\p{N}_$#@]+|\])/u;

/** The name that is typed at the cursor, and the parentheses around it, innermost first. Nothing around it: it is in a text or a comment. */
export function treeAt(
  sql: string,
  at: number,
): { readonly typed: string; readonly levels: readonly Group[] } {
  const begun = BEGUN.exec(sql.slice(0, at))?.[0] ?? '';
  // A bracket in a text, or a `[` that another `[` follows, is none that is being typed.
  const typed = begun.startsWith('[') && tokensOf(sql.slice(0, at)).open ? '' : begun;
  const before = tokensOf(sql.slice(0, at - typed.length));
  if (before.open) return { typed: '', levels: [] };
  const rest = sql.slice(at);
  const after = tokensOf(rest.slice(typed === '' ? 0 : (REST.exec(rest)?.[0].length ?? 0)));
  const root = { items: [] as Item[], hasCursor: true };
  const open = [root];
  let levels: Group[] = [];
  for (const token of [...before.tokens, CURSOR, ...after.tokens]) {
    const [inner = root] = open;
    if (token === '(') {
      const group = { items: [], hasCursor: false };
      inner.items.push(group);
      open.unshift(group);
    } else if (token === ')') {
      if (open.length > 1) open.shift();
    } else inner.items.push(token);
    if (token === CURSOR) {
      levels = [...open];
      for (const group of open) group.hasCursor = true;
    }
  }
  return { typed, levels };
}

/** `open`: the text ends within a text or a comment. */
function tokensOf(sql: string): { readonly tokens: string[]; readonly open: boolean } {
  const tokens: string[] = [];
  let open = false;
  for (const [token] of sql.matchAll(TOKEN)) {
    const isText = token.startsWith("'");
    const isLine = token.startsWith('--');
    const isBlock = token.startsWith('/*');
    open =
      (isText && (token.length === 1 || !/^'(?:[^']|'')*'$/.test(token))) ||
      (isBlock && (token.length < 4 || !token.endsWith('*/'))) ||
      (isLine && sql.endsWith(token));
    if (!isText && !isLine && !isBlock) tokens.push(token);
  }
  return { tokens, open };
}

export function isWord(item: Item | undefined, words: readonly string[]): boolean {
  return typeof item === 'string' && words.includes(item.toUpperCase());
}
