import { badSql } from '../errors.ts';
import { type Token, tokensOf } from './tokens.ts';

/**
 * The structure of a SELECT as far as one has to know it to say where its rows come from: WITH, branches of UNION and its like, lists,
 * FROM, WHERE. Expressions stay pieces of text. What it cannot read it refuses; Postgres reads the same text anyway.
 */
export interface Query {
  readonly ctes: readonly Cte[];
  /** More than one: of UNION, INTERSECT, EXCEPT. */
  readonly branches: readonly Branch[];
  /** LIMIT, OFFSET, FETCH. */
  readonly isLimited: boolean;
}

export interface Cte {
  readonly name: string;
  readonly columns: readonly string[] | null;
  readonly query: Query;
  /** It reads itself. */
  readonly isRecursive: boolean;
}

export type Branch =
  | { readonly kind: 'select'; readonly select: Select }
  | { readonly kind: 'query'; readonly query: Query }
  /** VALUES, TABLE. */
  | { readonly kind: 'rows'; readonly subqueries: readonly Subquery[] };

export interface Select {
  readonly items: readonly SelectItem[];
  readonly from: readonly FromItem[];
  readonly equalities: readonly Equality[];
  readonly hasDistinctOn: boolean;
  /** GROUP BY, HAVING. */
  readonly isGrouped: boolean;
  /** Functions that are called outside subqueries, with `over` for each window. */
  readonly calls: readonly Named[];
  /** In expressions, wherever they stand. */
  readonly subqueries: readonly Subquery[];
  /** Where its condition begins and ends; where a WHERE would stand, both are the same. */
  readonly where: { readonly from: number; readonly to: number };
  readonly at: number;
}

export interface Subquery {
  readonly query: Query;
  /** The word that makes one value of all its rows, as in `ARRAY (SELECT …)` and `>= ALL (SELECT …)`; null: none. */
  readonly gatheredBy: string | null;
}

export interface Named {
  readonly name: string;
  readonly at: number;
}

export interface SelectItem {
  readonly text: string;
  readonly at: number;
  /** The name in the file; null: `*`, or a name that only the database gives. */
  readonly name: string | null;
  /** `*`, `t.*`. */
  readonly star: { readonly of: string | null } | null;
  /** Where it is nothing but a column. */
  readonly column: ColumnName | null;
  /** It has no column: literals and parameters alone. */
  readonly isConstant: boolean;
  readonly calls: readonly Named[];
}

export interface ColumnName {
  /** Table or alias. */
  readonly of: string | null;
  readonly column: string;
}

export interface FromItem {
  readonly alias: string;
  readonly columns: readonly string[] | null;
  readonly source:
    | { readonly kind: 'query'; readonly query: Query }
    | {
        readonly kind: 'table';
        readonly name: string;
        readonly isQualified: boolean;
        /** As it is written, with its schema. */
        readonly text: string;
      }
    | { readonly kind: 'function' };
  /** How it is joined to what stands before it. */
  readonly join: Join;
}

export type Join = 'inner' | 'left' | 'right' | 'full';

/** `a = b` that every row fulfils; where an outer join says it, every row for which that found something. */
export interface Equality {
  readonly left: ColumnName;
  readonly right: ColumnName;
  /** The alias that the outer join adds; null: it holds for all rows. */
  readonly outer: string | null;
}

const SET_OPERATORS = ['union', 'intersect', 'except'];
const TAIL = ['order', 'limit', 'offset', 'fetch', 'for'];
const CLAUSES = ['from', 'where', 'group', 'having', 'window', ...TAIL];
const BEGINNINGS = ['select', 'with', 'values', 'table'];
const JOIN_WORDS = ['join', 'inner', 'left', 'right', 'full', 'cross', 'natural'];
const NO_ALIAS = [...JOIN_WORDS, 'on', 'using', 'tablesample', 'with', ...SET_OPERATORS];
/** Before a last word that is no alias, as in `x IS NULL`, `x COLLATE "C"`, `x AT TIME ZONE y`. */
const OPERATORS =
  'is not and or collate zone like ilike similar in between to distinct from over'.split(' ');
/** Words of an expression that are no columns. */
const CONSTANT_WORDS = [
  ...OPERATORS,
  ...'null true false case when then else end cast as at time precision varying select'.split(' '),
];

interface Range {
  readonly from: number;
  readonly to: number;
}

export function parseQuery(sql: string): Query {
  return createParser(sql).query();
}

function createParser(sql: string): { query(): Query } {
  const all = tokensOf(sql);
  const tokens = all.at(-1)?.kind === 'end' ? all.slice(0, -1) : all;
  const closing = closingOf(tokens);

  const unreadable = (at: number, what = '') =>
    badSql(
      `Millrace cannot read this part of the SQL, though Postgres may.${what}`,
      tokens[at]?.from ?? sql.length,
    );
  const isSymbol = (at: number, text: string) =>
    tokens[at]?.kind === 'symbol' && tokens[at]?.text === text;
  /** A keyword, and no column of that name: those stand behind a point or AS. */
  const isWord = (at: number, ...texts: readonly string[]) =>
    tokens[at]?.kind === 'word' &&
    texts.includes(tokens[at]?.text ?? '') &&
    !isSymbol(at - 1, '.') &&
    tokens[at - 1]?.text !== 'as';
  const isName = (at: number) => tokens[at]?.kind === 'word' || tokens[at]?.kind === 'quoted';
  /** The place behind a token; for an opening bracket, behind its closing one. */
  const after = (at: number) => (closing.get(at) ?? at) + 1;
  const textOf = ({ from, to }: Range) =>
    sql.slice(tokens[from]?.from ?? 0, tokens[to - 1]?.to ?? 0);
  const endOf = (to: number) => tokens[to - 1]?.to ?? 0;

  function* outerTokens({ from, to }: Range): Generator<number> {
    for (let at = from; at < to; at = after(at)) yield at;
  }

  function split(range: Range, isBorder: (at: number) => boolean): Range[] {
    const parts: Range[] = [];
    let from = range.from;
    for (const at of outerTokens(range)) {
      if (!isBorder(at)) continue;
      parts.push({ from, to: at });
      from = at + 1;
    }
    return [...parts, { from, to: range.to }];
  }

  const byCommas = (range: Range) => split(range, (at) => isSymbol(at, ','));

  function beginsQuery(at: number): boolean {
    let first = at;
    while (isSymbol(first, '(')) first += 1;
    return isWord(first, ...BEGINNINGS);
  }

  function queryIn(range: Range): Query {
    let { from } = range;
    const ctes: Cte[] = [];
    if (isWord(from, 'with')) {
      from += 1;
      const mayRecurse = isWord(from, 'recursive');
      if (mayRecurse) from += 1;
      for (let isNext = true; isNext; from += isNext ? 1 : 0) {
        const { cte, next } = cteAt(from, mayRecurse);
        ctes.push(cte);
        from = next;
        isNext = isSymbol(from, ',');
      }
    }
    const branches: Branch[] = [];
    let isLimited = false;
    for (const part of split({ from, to: range.to }, (at) => isWord(at, ...SET_OPERATORS))) {
      const isQuantified = branches.length > 0 && isWord(part.from, 'all', 'distinct');
      const body = { from: isQuantified ? part.from + 1 : part.from, to: part.to };
      branches.push(branchIn(body));
      isLimited ||= [...outerTokens(body)].some((at) => isWord(at, 'limit', 'offset', 'fetch'));
    }
    return { ctes, branches, isLimited };
  }

  function cteAt(at: number, mayRecurse: boolean): { cte: Cte; next: number } {
    const name = tokens[at]?.text;
    if (name === undefined || !isName(at)) throw unreadable(at);
    let from = at + 1;
    const columns = isSymbol(from, '(') ? namesIn(from) : null;
    if (columns !== null) from = after(from);
    if (tokens[from]?.text !== 'as') throw unreadable(from);
    from += 1;
    // Behind AS, where `isWord` sees a name.
    while (tokens[from]?.text === 'not' || tokens[from]?.text === 'materialized') from += 1;
    if (!isSymbol(from, '(')) throw unreadable(from);
    const inside = { from: from + 1, to: closing.get(from) ?? from };
    const isRecursive =
      mayRecurse &&
      tokens.slice(inside.from, inside.to).some((_, index) => {
        const here = inside.from + index;
        return isName(here) && tokens[here]?.text === name;
      });
    const next = after(from);
    if (isWord(next, 'search', 'cycle'))
      throw unreadable(
        next,
        ' In place of SEARCH and CYCLE, select the path in the WITH as an array: path || id.',
      );
    return { cte: { name, columns, query: queryIn(inside), isRecursive }, next };
  }

  /** `(a, b)`. */
  function namesIn(open: number): string[] {
    return byCommas({ from: open + 1, to: closing.get(open) ?? open }).map(
      ({ from }) => tokens[from]?.text ?? '',
    );
  }

  function branchIn(range: Range): Branch {
    const { from } = range;
    if (isSymbol(from, '(')) {
      const next = after(from);
      if (next < range.to && !isWord(next, ...TAIL)) throw unreadable(next);
      return { kind: 'query', query: queryIn({ from: from + 1, to: next - 1 }) };
    }
    if (isWord(from, 'values', 'table')) return { kind: 'rows', subqueries: subqueriesIn(range) };
    if (!isWord(from, 'select')) throw unreadable(from);
    return { kind: 'select', select: selectIn(range) };
  }

  function selectIn(range: Range): Select {
    const clauses = clausesOf(range);
    const partOf = (name: string): Range | undefined =>
      clauses.find((clause) => clause.name === name)?.range;
    const { list, hasDistinctOn } = listOf({
      from: range.from + 1,
      to: clauses[0] === undefined ? range.to : clauses[0].range.from - 1,
    });
    const from = partOf('from');
    const where = partOf('where');
    const tables = from === undefined ? NO_TABLES : fromIn(from);
    const expressions = [
      { from: range.from + 1, to: list.to },
      ...clauses.filter(({ name }) => name !== 'from').map((clause) => clause.range),
      ...tables.expressions,
    ];
    const end = endOf(from?.to ?? list.to);
    return {
      items: list.from >= list.to ? [] : byCommas(list).map(itemIn),
      from: tables.items,
      equalities: [...tables.equalities, ...(where === undefined ? [] : equalitiesIn(where, null))],
      hasDistinctOn,
      isGrouped: partOf('group') !== undefined || partOf('having') !== undefined,
      calls: expressions.flatMap(callsIn),
      subqueries: expressions.flatMap(subqueriesIn),
      where:
        where === undefined
          ? { from: end, to: end }
          : { from: tokens[where.from]?.from ?? end, to: endOf(where.to) },
      at: tokens[range.from]?.from ?? 0,
    };
  }

  /** Each with its tokens behind the keyword. */
  function clausesOf({ from, to }: Range): { name: string; range: Range }[] {
    const begins: number[] = [];
    let isAfterFrom = false;
    for (const at of outerTokens({ from: from + 1, to })) {
      if (!isWord(at, ...CLAUSES)) continue;
      const text = tokens[at]?.text;
      // IS DISTINCT FROM, ROWS FROM, WITHIN GROUP.
      const isFrom = text === 'from';
      if (isFrom && (isAfterFrom || (isWord(at - 1, 'distinct') && isWord(at - 2, 'is', 'not'))))
        continue;
      if (text === 'group' && isWord(at - 1, 'within')) continue;
      isAfterFrom ||= isFrom;
      begins.push(at);
    }
    return begins.map((at, index) => ({
      name: tokens[at]?.text ?? '',
      range: { from: at + 1, to: begins[index + 1] ?? to },
    }));
  }

  function listOf(range: Range): { list: Range; hasDistinctOn: boolean } {
    let { from } = range;
    if (isWord(from, 'all')) from += 1;
    const isDistinct = isWord(from, 'distinct');
    if (isDistinct) from += 1;
    const hasDistinctOn = isDistinct && isWord(from, 'on');
    if (hasDistinctOn) from = after(from + 1);
    return { list: { from, to: range.to }, hasDistinctOn };
  }

  function itemIn(range: Range): SelectItem {
    const { from, to } = range;
    const last = tokens[to - 1];
    const given = { at: tokens[from]?.from ?? 0, calls: callsIn(range) };
    if (last === undefined || from >= to) throw unreadable(from);
    if (isSymbol(to - 1, '*') && (to - from === 1 || isSymbol(to - 2, '.'))) {
      const of = to - from === 1 ? null : (tokens[to - 3]?.text ?? null);
      const star = { star: { of }, column: null, isConstant: false };
      return { ...given, ...star, text: textOf(range), name: null };
    }
    const named = (name: string | null, expression: Range): SelectItem => ({
      ...given,
      text: textOf(expression),
      name,
      star: null,
      column: columnIn(expression),
      isConstant: isConstant(expression),
    });
    if (isName(to - 1) && tokens[to - 2]?.text === 'as' && to - 2 > from)
      return named(last.text, { from, to: to - 2 });
    const column = columnIn(range);
    if (column !== null) return named(column.column, range);
    if (isName(to - 1) && to - from > 1 && endsOperand(to - 2) && last.text !== 'end')
      return named(last.text, { from, to: to - 1 });
    // `t.county_id::text` is called as the column.
    const cast = [...outerTokens(range)].find((at) => isSymbol(at, '::'));
    const casted = cast === undefined ? null : columnIn({ from, to: cast });
    return named(casted?.column ?? null, range);
  }

  function endsOperand(at: number): boolean {
    const token = tokens[at];
    if (token === undefined) return false;
    if (token.kind === 'symbol') return token.text === ')' || token.text === ']';
    return !isWord(at, ...OPERATORS);
  }

  /** `county_id`, `t.county_id`, `public.timesheets.county_id`. */
  function columnIn({ from, to }: Range): ColumnName | null {
    if (from >= to || (to - from) % 2 === 0) return null;
    for (let at = from; at < to; at++)
      if ((at - from) % 2 === 0 ? !isName(at) : !isSymbol(at, '.')) return null;
    const column = tokens[to - 1]?.text ?? '';
    return { of: to - from === 1 ? null : (tokens[to - 3]?.text ?? null), column };
  }

  function isConstant({ from, to }: Range): boolean {
    return tokens.slice(from, to).every((_, index) => {
      const at = from + index;
      const isType = isSymbol(at - 1, '::') || tokens[at - 1]?.text === 'as';
      const isBefore = isSymbol(at + 1, '(') || tokens[at + 1]?.kind === 'string';
      return !isName(at) || isType || isBefore || isWord(at, ...CONSTANT_WORDS);
    });
  }

  /** Names before a bracket, `(x).name`, and windows; not those of subqueries. */
  function callsIn({ from, to }: Range): Named[] {
    const calls: Named[] = [];
    for (let at = from; at < to; at++) {
      const name = { name: tokens[at]?.text ?? '', at: tokens[at]?.from ?? 0 };
      const isAttribute = isSymbol(at - 1, '.') && isSymbol(at - 2, ')');
      if (isSymbol(at, '(') && isWord(at + 1, ...BEGINNINGS)) at = after(at) - 1;
      else if (isName(at) && (isSymbol(at + 1, '(') || isWord(at, 'over') || isAttribute))
        calls.push(name);
    }
    return calls;
  }

  function subqueriesIn({ from, to }: Range): Subquery[] {
    const found: Subquery[] = [];
    for (let at = from; at < to; at++) {
      if (!isSymbol(at, '(') || !isWord(at + 1, ...BEGINNINGS)) continue;
      const query = queryIn({ from: at + 1, to: after(at) - 1 });
      found.push({ query, gatheredBy: gathererBefore(at) });
      at = after(at) - 1;
    }
    return found;
  }

  /** `= ANY` and `<> ALL` only look for a row, as IN does; with other operators these words ask for the least or the greatest. */
  function gathererBefore(at: number): string | null {
    const word = tokens[at - 1]?.text ?? '';
    if (isWord(at - 1, 'array', 'json_array')) return word.toUpperCase();
    if (!isWord(at - 1, 'any', 'some', 'all')) return null;
    const operator = textOf({ from: at - 3, to: at - 1 });
    const isSearch = word === 'all' ? /(?:<>|!=)$/.test(operator) : /(?:^|[^<>!])=$/.test(operator);
    return isSearch ? null : word.toUpperCase();
  }

  interface Tables {
    readonly items: FromItem[];
    readonly equalities: Equality[];
    /** Conditions of joins, and arguments of functions. */
    readonly expressions: Range[];
  }

  function fromIn({ from, to }: Range): Tables {
    const tables: Tables = { items: [], equalities: [], expressions: [] };
    let at = from;
    let join: Join = 'inner';
    while (at < to) {
      const before = tables.items.length;
      at = addItem(tables, at, join);
      const added = tables.items.slice(before).map(({ alias }) => alias);
      if (isWord(at, 'tablesample')) {
        at = after(at + 2);
        if (isWord(at, 'repeatable')) at = after(at + 1);
      }
      at = addCondition(tables, { from: at, to }, { join, added });
      if (at >= to) break;
      ({ at, join } = joinAt(at));
    }
    return tables;
  }

  function addItem(tables: Tables, start: number, join: Join): number {
    let at = start;
    while (isWord(at, 'lateral', 'only')) at += 1;
    let source: FromItem['source'];
    let name = '';
    if (isSymbol(at, '(') && beginsQuery(at + 1) && isWhole(at)) {
      source = { kind: 'query', query: queryIn({ from: at + 1, to: after(at) - 1 }) };
      at = after(at);
    } else if (isSymbol(at, '(')) {
      const inside = fromIn({ from: at + 1, to: after(at) - 1 });
      tables.items.push(
        ...inside.items.map((item) => (join === 'inner' ? item : { ...item, join })),
      );
      if (join === 'inner') tables.equalities.push(...inside.equalities);
      tables.expressions.push(...inside.expressions);
      at = after(at);
      // A name for all of them hides theirs.
      if (isName(at) && !isWord(at, ...NO_ALIAS))
        throw unreadable(
          at,
          ' In place of a name for a join in brackets, write (SELECT … FROM a JOIN b ON …) AS name.',
        );
      return at;
    } else if (isWord(at, 'rows') && isWord(at + 1, 'from')) {
      source = { kind: 'function' };
      tables.expressions.push({ from: at + 2, to: after(at + 2) });
      at = after(at + 2);
    } else {
      if (!isName(at)) throw unreadable(at);
      const first = at;
      while (isSymbol(at + 1, '.')) at += 2;
      name = tokens[at]?.text ?? '';
      const text = textOf({ from: first, to: at + 1 });
      source = { kind: 'table', name, isQualified: at > first, text };
      at += 1;
      if (isSymbol(at, '(')) {
        source = { kind: 'function' };
        tables.expressions.push({ from: at, to: after(at) });
        at = after(at);
      } else if (isSymbol(at, '*')) at += 1;
    }
    if (isWord(at, 'with') && isWord(at + 1, 'ordinality')) at += 2;
    const hasAs = tokens[at]?.kind === 'word' && tokens[at]?.text === 'as';
    if (hasAs) at += 1;
    if (isName(at) && (hasAs || !isWord(at, ...NO_ALIAS))) {
      name = tokens[at]?.text ?? '';
      at += 1;
    }
    const columns = isSymbol(at, '(') ? namesIn(at) : null;
    if (columns !== null) at = after(at);
    tables.items.push({ alias: name, columns, source, join });
    return at;
  }

  /** `(SELECT …)` alone, and not the beginning of `((SELECT …) x JOIN y)`. */
  function isWhole(open: number): boolean {
    if (!isSymbol(open + 1, '(')) return true;
    const next = after(open + 1);
    return next === closing.get(open) || isWord(next, ...SET_OPERATORS, ...TAIL);
  }

  /** ON and USING, as far as the next join; gives where that begins. */
  function addCondition(
    tables: Tables,
    range: Range,
    { join, added }: { readonly join: Join; readonly added: readonly string[] },
  ): number {
    const { from, to } = range;
    const outer = join === 'inner' ? null : (added[0] ?? '');
    if (isWord(from, 'using') && isSymbol(from + 1, '(')) {
      const others = tables.items.map(({ alias }) => alias);
      for (const column of namesIn(from + 1))
        for (const of of [...others, null])
          for (const each of added)
            if (each !== of)
              tables.equalities.push({ left: { of: each, column }, right: { of, column }, outer });
      let next = after(from + 1);
      if (tokens[next]?.text === 'as') next += 2;
      return next;
    }
    if (!isWord(from, 'on')) return from;
    const condition = { from: from + 1, to };
    const end = [...outerTokens(condition)].find((at) => isJoin(at) || isSymbol(at, ','));
    const whole = { from: from + 1, to: end ?? to };
    // `a JOIN b JOIN c ON … ON …`
    if ([...outerTokens(whole)].some((at) => isWord(at, 'on', 'using')))
      throw unreadable(
        from,
        ' Write each ON behind its JOIN, a JOIN b ON … JOIN c ON …, or the inner join in brackets.',
      );
    tables.expressions.push(whole);
    const isOne = join === 'inner' || added.length === 1;
    tables.equalities.push(...(isOne ? equalitiesIn(whole, outer) : []));
    return whole.to;
  }

  /** And not `left(a, 1)`. */
  function isJoin(at: number): boolean {
    return isWord(at, ...JOIN_WORDS) && !isSymbol(at + 1, '(');
  }

  function joinAt(start: number): { at: number; join: Join } {
    if (isSymbol(start, ',')) return { at: start + 1, join: 'inner' };
    let at = start;
    let join: Join = 'inner';
    for (; isWord(at, 'natural', 'inner', 'cross', 'outer', 'left', 'right', 'full'); at++) {
      const text = tokens[at]?.text;
      if (text === 'left' || text === 'right' || text === 'full') join = text;
    }
    if (!isWord(at, 'join')) throw unreadable(at);
    return { at: at + 1, join };
  }

  /** The comparisons that hold for all of the condition: its parts are joined by AND. */
  function equalitiesIn(range: Range, outer: string | null): Equality[] {
    const outerTokensOf = [...outerTokens(range)];
    if (outerTokensOf.some((at) => isWord(at, 'or'))) return [];
    let isBetween = false;
    return split(range, (at) => isWord(at, 'and')).flatMap((part) => {
      // `x BETWEEN 1 AND a = b`
      const isSecond = isBetween;
      isBetween = [...outerTokens(part)].some((at) => isWord(at, 'between'));
      const equals = [...outerTokens(part)].find((at) => isSymbol(at, '='));
      if (isSecond || equals === undefined) return [];
      const left = columnIn({ from: part.from, to: equals });
      const right = columnIn({ from: equals + 1, to: part.to });
      return left === null || right === null ? [] : [{ left, right, outer }];
    });
  }

  const NO_TABLES: Tables = { items: [], equalities: [], expressions: [] };

  return { query: () => queryIn({ from: 0, to: tokens.length }) };
}

/** The place of each closing bracket, by that of its opening one. */
function closingOf(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const closing = new Map<number, number>();
  const open: number[] = [];
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== 'symbol') continue;
    if (text === '(' || text === '[') open.push(at);
    if (text !== ')' && text !== ']') continue;
    const opening = open.pop();
    if (opening === undefined) throw badSql(`The ${text} closes nothing.`, tokens[at]?.from ?? 0);
    closing.set(opening, at);
  }
  if (open.length > 0) throw badSql('A bracket is not closed.', tokens[open[0] ?? 0]?.from ?? 0);
  return closing;
}
