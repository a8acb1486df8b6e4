import { type Document, after, isSymbol, keyword } from './document.ts';
import { unquoted } from './tokens.ts';

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

/** What stands between FROM and WHERE. */
export interface FromClause {
  sources: Source[];
  hasJoin: boolean;
  isOpaque: boolean;
}

export const SET_OPERATORS = new Set(['UNION', 'EXCEPT', 'INTERSECT']);
/** Words after a source that are no alias of it. */
const NO_ALIAS = new Set(
  'ON INNER LEFT RIGHT FULL CROSS OUTER JOIN APPLY HASH LOOP MERGE WITH PIVOT UNPIVOT TABLESAMPLE'.split(
    ' ',
  ),
);
const TABLE_HINTS = new Set(
  'NOLOCK READUNCOMMITTED READPAST READCOMMITTED FORCESEEK FORCESCAN'.split(' '),
);

export function readSources(doc: Document, from: number, to: number, found: FromClause): void {
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
