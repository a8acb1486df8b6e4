import { type Group, type Item, CURSOR, isWord, treeAt } from './sql-tree.ts';

/** Completions at a position, independent of the editor. */
export type Wanted =
  /** After FROM and JOIN. */
  | { readonly what: 'tables'; readonly from: number }
  /** After `s.`: what the table or query in parentheses that `s` is has. */
  | (Fields & { readonly what: 'fields'; readonly from: number })
  /** Elsewhere: what all sources of the query have. */
  | (Fields & { readonly what: 'any'; readonly from: number });

/** The fields of tables, and the names that queries in parentheses give their columns. */
interface Fields {
  readonly tables: readonly string[];
  readonly names: readonly string[];
}

interface Source {
  /** Its name in the query, in lower case. */
  readonly called: readonly string[];
  /** The name of a table, or a query in parentheses. */
  readonly is: string | Group;
}

const SET_OPERATORS = ['UNION', 'EXCEPT', 'INTERSECT'];
const BEFORE_SOURCE = ['FROM', 'JOIN', 'APPLY'];
/** Words that follow a source and are no alias of it. */
const NO_ALIAS =
  'WHERE ON INNER LEFT RIGHT FULL CROSS OUTER JOIN GROUP ORDER HAVING WITH AS OPTION FOR APPLY PIVOT UNPIVOT'.split(
    ' ',
  );
const CLAUSES = ['SELECT', 'FROM', 'ON', 'WHERE', 'GROUP', 'HAVING', 'ORDER', 'OPTION', 'FOR'];
/** Queries in queries in queries: a `*` is followed no deeper. */
const MOST_LEVELS = 20;

export function wantedAt(sql: string, at: number): Wanted {
  const { typed, levels } = treeAt(sql, at);
  const from = at - typed.length;
  // Innermost first; a query inside sees the sources of those around it.
  const scopes = levels.map((group) => operandWithCursor(group));
  const [own = []] = scopes;
  const place = own.indexOf(CURSOR);
  const before = own[place - 1];
  const owner = own[place - 2];
  if (before === '.' && typeof owner === 'string') {
    if (owner.toLowerCase() === 'ent') return { what: 'tables', from };
    const wanted = bare(owner).toLowerCase();
    const found = scopes
      .flatMap((scope) => sourcesOf(scope))
      .find((source) => source.called.includes(wanted));
    return { what: 'fields', from, ...fieldsOf(found === undefined ? [] : [found]) };
  }
  if (isWord(before, BEFORE_SOURCE) || (before === ',' && clauseAt(own, place) === 'FROM'))
    return { what: 'tables', from };
  return { what: 'any', from, ...fieldsOf(scopes.flatMap((scope) => sourcesOf(scope))) };
}

/** The operand of UNION that the cursor is in. */
function operandWithCursor(group: Group): readonly Item[] {
  return operandsOf(group).find((operand) => operand.includes(CURSOR) || hasCursor(operand)) ?? [];
}

function hasCursor(items: readonly Item[]): boolean {
  return items.some((item) => typeof item !== 'string' && item.hasCursor);
}

function operandsOf({ items }: Group): (readonly Item[])[] {
  const operands: Item[][] = [[]];
  for (const item of items)
    if (isWord(item, SET_OPERATORS)) operands.push([]);
    else operands.at(-1)?.push(item);
  return operands;
}

function clauseAt(items: readonly Item[], place: number): string {
  const words = items.slice(0, place).findLast((item) => isWord(item, CLAUSES));
  return typeof words === 'string' ? words.toUpperCase() : '';
}

function sourcesOf(items: readonly Item[]): Source[] {
  const sources: Source[] = [];
  for (let at = 1; at < items.length; at += 1) {
    const before = items[at - 1];
    const isSource =
      isWord(before, BEFORE_SOURCE) || (before === ',' && clauseAt(items, at) === 'FROM');
    if (!isSource) continue;
    while (items[at + 1] === '.') at += 2; // `Ent.` and what else may stand in front
    const source = items[at];
    if (source === undefined || source === CURSOR) continue;
    const next = isWord(items[at + 1], ['AS']) ? items[at + 2] : items[at + 1];
    const alias = isName(next) && !isWord(next, NO_ALIAS) ? [bare(next)] : [];
    if (typeof source !== 'string') sources.push(called(alias, source));
    else if (isName(source)) sources.push(called([...alias, bare(source)], bare(source)));
  }
  return sources;
}

function called(names: readonly string[], is: Source['is']): Source {
  return { called: names.map((name) => name.toLowerCase()), is };
}

function fieldsOf(sources: readonly Source[], level = 0): Fields {
  const tables = new Set<string>();
  const names = new Set<string>();
  for (const { is } of sources) {
    const inner = typeof is === 'string' ? { tables: [is], names: [] } : columnsOf(is, level);
    for (const table of inner.tables) tables.add(table);
    for (const name of inner.names) names.add(name);
  }
  return { tables: [...tables], names: [...names] };
}

/** The columns of a query in parentheses: the first operand gives the names. */
function columnsOf(group: Group, level: number): Fields {
  const [first = []] = operandsOf(group);
  const sources = sourcesOf(first);
  const starred: Source[] = [];
  const names: string[] = [];
  for (const item of listOf(first)) {
    const last = item.at(-1);
    if (last === '*') {
      const owner = item.at(-3);
      const wanted = typeof owner === 'string' ? bare(owner).toLowerCase() : null;
      starred.push(...sources.filter((each) => wanted === null || each.called.includes(wanted)));
    } else if (item[1] === '=' && isName(item[0])) names.push(bare(item[0]));
    else if (isName(last) && !isWord(last, ['END', 'NULL'])) names.push(bare(last));
  }
  const inner = level < MOST_LEVELS ? fieldsOf(starred, level + 1) : { tables: [], names: [] };
  return { tables: inner.tables, names: [...names, ...inner.names] };
}

/** The columns of a SELECT list. */
function listOf(items: readonly Item[]): Item[][] {
  let at = isWord(items[0], ['SELECT']) ? 1 : 0;
  if (isWord(items[at], ['DISTINCT', 'ALL'])) at += 1;
  if (isWord(items[at], ['TOP'])) at += 2;
  if (isWord(items[at], ['PERCENT'])) at += 1;
  if (isWord(items[at], ['WITH'])) at += 2;
  const list: Item[][] = [[]];
  for (; at < items.length; at += 1) {
    const item = items[at];
    if (item === undefined || isWord(item, ['FROM'])) break;
    if (item === ',') list.push([]);
    else list.at(-1)?.push(item);
  }
  return list;
}

/** As SQL needs it: a name that is no plain word has brackets. */
export function bracketed(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? name : `[${name.replaceAll(']', ']]')}]`;
}

function isName(item: Item | undefined): item is string {
  return typeof item === 'string' && /^[\p{L}_#["]/u.test(item);
}

function bare(written: string): string {
  if (written.startsWith('[')) return written.slice(1, -1).replaceAll(']]', ']');
  return written.startsWith('"') ? written.slice(1, -1) : written;
}
