import { type Document, after, isSymbol, keyword } from './document.ts';
import { unquoted } from './tokens.ts';

/**
 * What a query is made of, as far as its columns depend on it: operands of UNION, their SELECT lists and sources. WHERE,
 * GROUP BY and what else cannot change the columns is passed over unread. Ranges are of indexes, `to` exclusive.
 */
export interface Query {
  /** Operands of UNION, EXCEPT and INTERSECT, from left to right. */
  readonly selects: readonly Select[];
  /** Of `ORDER BY` of the whole; -1 where there is none. */
  readonly orderAt: number;
  readonly hasOffset: boolean;
  /** What follows the query begins here. */
  readonly end: number;
}

export interface Select {
  readonly start: number;
  readonly hasTop: boolean;
  readonly items: readonly Item[];
  /** Of `INTO`; -1 where there is none. */
  readonly intoAt: number;
  readonly sources: readonly Source[];
  readonly hasJoin: boolean;
  /** PIVOT or something unread makes columns that are none of the sources'. */
  readonly isOpaque: boolean;
  readonly end: number;
}

export interface Item {
  /** The expression, without its name. */
  readonly from: number;
  readonly to: number;
  readonly name: string | null;
  /** The token that gives the name, or the first of an expression without one. */
  readonly nameAt: number;
  /** `*` or `qualifier.*` */
  readonly star: { readonly qualifier: string | null } | null;
}

export interface Source {
  readonly kind: 'table' | 'query' | 'unread';
  /** Of a table, such as ['Ent', '_Subscribers']. */
  readonly path: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly alias: string | null;
  /** Names of columns that stand after the alias: `AS t (a, b)`. */
  readonly columnNames: readonly string[] | null;
}

const SET_OPERATORS = new Set(['UNION', 'EXCEPT', 'INTERSECT']);
const SELECT_END = new Set([...SET_OPERATORS, 'ORDER', 'OPTION', 'FOR', 'SELECT']);
const SOURCES_END = new Set([...SELECT_END, 'WHERE', 'GROUP', 'HAVING']);
const LIST_END = new Set([...SOURCES_END, 'FROM', 'INTO']);
/** Words after a source that are no alias of it. */
const NO_ALIAS = new Set(
  'ON INNER LEFT RIGHT FULL CROSS OUTER JOIN APPLY HASH LOOP MERGE WITH PIVOT UNPIVOT TABLESAMPLE'.split(
    ' ',
  ),
);
/** Words of an expression after which a name belongs to the expression. */
const NO_NAME_AFTER = new Set('COLLATE ZONE AND OR NOT LIKE IN IS BETWEEN OVER'.split(' '));
const TABLE_HINTS = new Set(
  'NOLOCK READUNCOMMITTED READPAST READCOMMITTED FORCESEEK FORCESCAN'.split(' '),
);

/** Null: not a query. Operands in parentheses are opened. */
export function readQuery(doc: Document, from: number, to: number): Query | null {
  const selects: Select[] = [];
  let at = from;
  for (;;) {
    if (isSymbol(doc, at, '(') && after(doc, at) <= to) {
      const inner = readQuery(doc, at + 1, after(doc, at) - 1);
      if (inner === null || inner.end !== after(doc, at) - 1) return null;
      selects.push(...inner.selects);
      at = after(doc, at);
    } else if (at < to && keyword(doc, at) === 'SELECT') {
      const select = readSelect(doc, at, to);
      selects.push(select);
      at = select.end;
    } else return null;
    if (at >= to || !SET_OPERATORS.has(keyword(doc, at))) break;
    at += 1;
    if (keyword(doc, at) === 'ALL') at += 1;
  }
  let orderAt = -1;
  let hasOffset = false;
  if (at < to && keyword(doc, at) === 'ORDER') {
    orderAt = at;
    for (
      ;
      at < to && keyword(doc, at) !== 'SELECT' && !isSymbol(doc, at, ';');
      at = after(doc, at)
    ) {
      if (keyword(doc, at) === 'OFFSET') hasOffset = true;
    }
  } else {
    // OPTION (…) and FOR …
    while (at < to && ['OPTION', 'FOR'].includes(keyword(doc, at))) {
      at = skip(doc, at + 1, to, SELECT_END);
    }
  }
  return { selects, orderAt, hasOffset, end: Math.min(at, to) };
}

export function readSelect(doc: Document, start: number, to: number): Select {
  let at = start + 1;
  if (['ALL', 'DISTINCT'].includes(keyword(doc, at))) at += 1;
  const hasTop = keyword(doc, at) === 'TOP';
  if (hasTop) {
    at = after(doc, at + 1);
    if (keyword(doc, at) === 'PERCENT') at += 1;
    if (keyword(doc, at) === 'WITH' && keyword(doc, at + 1) === 'TIES') at += 2;
  }

  const items: Item[] = [];
  for (;;) {
    const end = skip(doc, at, to, LIST_END, ',');
    items.push(readItem(doc, at, end));
    at = end;
    if (at >= to || !isSymbol(doc, at, ',')) break;
    at += 1;
  }

  const intoAt = at < to && keyword(doc, at) === 'INTO' ? at : -1;
  if (intoAt >= 0) at = skip(doc, at + 1, to, LIST_END);
  const found: FromClause = { sources: [], hasJoin: false, isOpaque: false };
  if (at < to && keyword(doc, at) === 'FROM') {
    const end = skip(doc, at + 1, to, SOURCES_END);
    readSources(doc, at + 1, end, found);
    at = end;
  }
  at = skip(doc, at, to, SELECT_END);
  return { start, hasTop, items, intoAt, ...found, end: at };
}

/** From `at` to the first of the words, the symbol, a semicolon, or the end; what is in parentheses is passed over. */
function skip(
  doc: Document,
  from: number,
  to: number,
  words: ReadonlySet<string>,
  symbol = ';',
): number {
  let at = from;
  while (at < to) {
    const word = keyword(doc, at);
    // STRING_AGG(…) WITHIN GROUP (ORDER BY …) is an expression.
    if (words.has(word) && !(word === 'GROUP' && keyword(doc, at - 1) === 'WITHIN')) break;
    if (isSymbol(doc, at, symbol) || isSymbol(doc, at, ';')) break;
    at = after(doc, at);
  }
  return Math.min(at, to);
}

function readItem(doc: Document, from: number, to: number): Item {
  const token = (index: number) => (index >= from && index < to ? doc.code[index] : undefined);
  const last = token(to - 1);
  const before = token(to - 2);
  const nothing = { from, to, name: null, nameAt: from, star: null };
  if (last === undefined) return nothing;
  if (last.text === '*' && last.kind === 'operator') {
    if (to - from === 1) return { ...nothing, star: { qualifier: null } };
    const owner = token(to - 3);
    if (before?.text === '.' && owner !== undefined)
      return { ...nothing, star: { qualifier: unquoted(owner) } };
    return nothing;
  }
  const first = token(from);
  // `name = expression`: a SELECT list has no comparisons.
  if (first !== undefined && canName(first.kind) && isSymbol(doc, from + 1, '=') && to - from > 2) {
    return { from: from + 2, to, name: unquoted(first), nameAt: from, star: null };
  }
  if (before !== undefined && canName(last.kind)) {
    if (before.word === 'AS' && keyword(doc, to - 2) === 'AS') {
      return { from, to: to - 2, name: unquoted(last), nameAt: to - 1, star: null };
    }
    const isEndOfCase = last.word === 'END' && (doc.partner[to - 1] ?? -1) >= 0;
    const endsExpression =
      before.kind === 'operator'
        ? before.text === ')'
        : !NO_NAME_AFTER.has(before.word) && before.kind !== 'stray';
    if (endsExpression && !isEndOfCase) {
      return { from, to: to - 1, name: unquoted(last), nameAt: to - 1, star: null };
    }
  }
  return columnItem(doc, from, to) ?? nothing;
}

/** A column, with or without its table, has the name of the column, also in parentheses. */
function columnItem(doc: Document, from: number, to: number): Item | null {
  let [start, end] = [from, to];
  while (isSymbol(doc, start, '(') && after(doc, start) === end)
    [start, end] = [start + 1, end - 1];
  const last = doc.code[end - 1];
  if (last === undefined || !isPath(doc, start, end) || last.word === 'NULL') return null;
  return { from, to, name: unquoted(last), nameAt: end - 1, star: null };
}

function canName(kind: string): boolean {
  return kind === 'word' || kind === 'name' || kind === 'string';
}

/** `a`, `t.a`, `Ent.t.[a]` */
export function isPath(doc: Document, from: number, to: number): boolean {
  if ((to - from) % 2 === 0) return false;
  for (let at = from; at < to; at += 1) {
    const token = doc.code[at];
    const fits =
      (at - from) % 2 === 1
        ? token?.text === '.'
        : token?.kind === 'word' || token?.kind === 'name';
    if (!fits) return false;
  }
  return true;
}

interface FromClause {
  sources: Source[];
  hasJoin: boolean;
  isOpaque: boolean;
}

function readSources(doc: Document, from: number, to: number, found: FromClause): void {
  let at = from;
  let isSource = true;
  while (at < to) {
    const word = keyword(doc, at);
    if (isSource) {
      at = readSource(doc, at, to, found);
      isSource = false;
    } else if (isSymbol(doc, at, ',') || word === 'JOIN' || word === 'APPLY') {
      found.hasJoin = true;
      isSource = true;
      at += 1;
    } else {
      if (word === 'PIVOT' || word === 'UNPIVOT') found.isOpaque = true;
      at = after(doc, at);
    }
  }
}

function readSource(doc: Document, from: number, to: number, found: FromClause): number {
  if (isSymbol(doc, from, '(')) {
    const end = after(doc, from) - 1;
    const isValues = keyword(doc, from + 1) === 'VALUES';
    if (isValues || isQuery(doc, from + 1, end)) {
      return addSource(doc, end + 1, to, found, {
        kind: isValues ? 'unread' : 'query',
        path: [],
        from: from + 1,
        to: end,
      });
    }
    readSources(doc, from + 1, end, found);
    return end + 1;
  }
  let at = from;
  const path: string[] = [];
  while (at < to) {
    const token = doc.code[at];
    if (token?.kind !== 'word' && token?.kind !== 'name') break;
    path.push(unquoted(token));
    at += 1;
    if (!isSymbol(doc, at, '.')) break;
    at += 1;
  }
  if (path.length === 0) {
    found.isOpaque = true;
    return from + 1;
  }
  // A function such as STRING_SPLIT(…), or a table.
  const hasArguments = at < to && isSymbol(doc, at, '(') && !isHint(doc, at);
  const source = { kind: hasArguments ? 'unread' : 'table', path, from, to: at } as const;
  return addSource(doc, hasArguments ? after(doc, at) : at, to, found, source);
}

/**
 * Told from a join in parentheses by the tokens around parentheses only: reading what is inside, and again when it was no
 * query, would double the time with each level.
 */
function isQuery(doc: Document, from: number, to: number): boolean {
  let at = from;
  let end = to;
  while (isSymbol(doc, at, '(')) {
    const next = after(doc, at);
    if (next !== end && !SET_OPERATORS.has(keyword(doc, next)) && keyword(doc, next) !== 'ORDER')
      return false;
    at += 1;
    end = next - 1;
  }
  return keyword(doc, at) === 'SELECT';
}

/** Adds the source with the alias that stands at `from`, and returns the index after it. */
function addSource(
  doc: Document,
  from: number,
  to: number,
  found: FromClause,
  source: Pick<Source, 'kind' | 'path' | 'from' | 'to'>,
): number {
  let at = from;
  let alias: string | null = null;
  let columnNames: string[] | null = null;
  if (at < to && isSymbol(doc, at, '(') && isHint(doc, at)) at = after(doc, at);
  const hasAs = keyword(doc, at) === 'AS';
  const token = doc.code[hasAs ? at + 1 : at];
  const isAlias =
    token?.kind === 'name' || (token?.kind === 'word' && (hasAs || !NO_ALIAS.has(token.word)));
  if (at < to && token !== undefined && isAlias) {
    alias = unquoted(token);
    at += hasAs ? 2 : 1;
    if (at < to && isSymbol(doc, at, '(') && !isHint(doc, at)) {
      columnNames = doc.code
        .slice(at + 1, after(doc, at) - 1)
        .filter((part) => part.kind === 'word' || part.kind === 'name')
        .map(unquoted);
      at = after(doc, at);
    }
  }
  found.sources.push({ ...source, alias, columnNames });
  return at;
}

/** `(NOLOCK)` after a table */
function isHint(doc: Document, at: number): boolean {
  return TABLE_HINTS.has(keyword(doc, at + 1));
}
