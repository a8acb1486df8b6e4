import { type Document, after, isSymbol, keyword } from './document.ts';
import { type FromClause, type Source, SET_OPERATORS, readSources } from './sources.ts';
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
  /** OFFSET or FOR XML, with either of which ORDER BY needs no TOP. */
  readonly ordersRows: boolean;
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

const SELECT_END = new Set([...SET_OPERATORS, 'ORDER', 'OPTION', 'FOR', 'SELECT']);
const SOURCES_END = new Set([...SELECT_END, 'WHERE', 'GROUP', 'HAVING']);
const LIST_END = new Set([...SOURCES_END, 'FROM', 'INTO']);
/** Words of an expression after which a name belongs to the expression. */
const NO_NAME_AFTER = new Set('COLLATE ZONE AND OR NOT LIKE IN IS BETWEEN OVER'.split(' '));
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
  let ordersRows = false;
  if (at < to && keyword(doc, at) === 'ORDER') {
    orderAt = at;
    for (
      ;
      at < to && keyword(doc, at) !== 'SELECT' && !isSymbol(doc, at, ';');
      at = after(doc, at)
    ) {
      if (['OFFSET', 'FOR'].includes(keyword(doc, at))) ordersRows = true;
    }
  } else {
    // OPTION (…) and FOR …
    while (at < to && ['OPTION', 'FOR'].includes(keyword(doc, at))) {
      at = skip(doc, at + 1, to, SELECT_END);
    }
  }
  return { selects, orderAt, ordersRows, end: Math.min(at, to) };
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
  if (keyword(doc, end - 2) === 'COLLATE') end -= 2;
  const last = doc.code[end - 1];
  if (last === undefined || !isPath(doc, start, end) || last.word === 'NULL') return null;
  return { from, to, name: unquoted(last), nameAt: end - 1, star: null };
}

function canName(kind: string): boolean {
  return kind === 'word' || kind === 'name' || kind === 'string' || kind === 'temporary';
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
