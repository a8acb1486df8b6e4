import {
  type Branch,
  type ColumnName,
  type Cte,
  type FromItem,
  type Query,
  type Select,
  type SelectItem,
  SourceError,
  type Subquery,
  parseQuery,
  tokensOf,
} from '@millrace/sql-source';
import { isBuiltInAggregate } from './aggregates.ts';

/** A row rule on a column that the SQL gives, as a condition on an expression. */
export interface InsideRule {
  readonly column: string;
  condition(expression: string): string;
}

export interface InsideProblem {
  readonly message: string;
  /** Where in the SQL. */
  readonly at: number;
}

/**
 * The SQL with row rules inside, where it counts, sums, ranks or picks rows: a rule around the whole would hide rows and show what was
 * computed of them (`sum(hours) OVER ()` is the total of all). A condition is added to the WHERE that each such SELECT has, on the column that the
 * rule is about: from the list of the outermost down to where it comes from, and where a subquery is joined by an equal column, there too. What
 * computes and cannot be reached is a problem. SQL that computes nothing is left as it is: the rule around it does the same. So is SQL that cannot be read and
 * has no word of what computes.
 */
export function rowsInside(
  sql: string,
  rules: readonly InsideRule[],
  isAggregate: (name: string) => boolean = isBuiltInAggregate,
): { readonly sql: string } | { readonly problem: InsideProblem } {
  if (rules.length === 0) return { sql };
  try {
    const query = parseQuery(sql);
    const edits = new Map<Select, string[]>();
    const depends = createDepends(isAggregate);
    if (!depends.on(query, [], true)) return { sql };
    for (const { column, condition } of rules) {
      const placed = placeRule({ query, column, depends });
      for (const [select, expressions] of placed)
        edits.set(select, [
          ...(edits.get(select) ?? []),
          ...expressions.map((expression) => condition(expression)),
        ]);
    }
    return { sql: edited(sql, edits) };
  } catch (error) {
    if (error instanceof NotInside) return { problem: { message: error.message, at: error.at } };
    if (!(error instanceof SourceError)) throw error;
    if (!mayCompute(sql, isAggregate)) return { sql };
    const message = `${error.message} The row rules have to be put inside SQL that counts, sums or picks rows, as this seems to do: write it so that it can be read, or ${OTHERWISE}`;
    return { problem: { message, at: error.position ?? 0 } };
  }
}

/** The tables and views that SQL reads, as it writes them. */
export function tablesIn(sql: string): string[] {
  const found = new Set<string>();
  function look(query: Query, outer: Scope): void {
    const scope = [...outer, ...query.ctes];
    for (const [at, cte] of query.ctes.entries())
      look(cte.query, scope.slice(0, outer.length + at));
    for (const branch of query.branches) {
      if (branch.kind === 'query') look(branch.query, scope);
      if (branch.kind === 'rows') for (const inner of branch.subqueries) look(inner.query, scope);
      if (branch.kind !== 'select') continue;
      for (const item of branch.select.from) {
        if (item.source.kind === 'query') look(item.source.query, scope);
        if (item.source.kind === 'table' && queryOf(item, scope) === null)
          found.add(item.source.text);
      }
      for (const inner of branch.select.subqueries) look(inner.query, scope);
    }
  }
  try {
    look(parseQuery(sql), []);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return namesIn(sql);
  }
  return [...found];
}

/** All names with their schemas, whatever they are the names of. */
function namesIn(sql: string): string[] {
  const tokens = tokensOf(sql);
  return tokens.flatMap(({ kind, from }, at) => {
    if (kind !== 'word' && kind !== 'quoted') return [];
    if (tokens[at - 1]?.text === '.') return [];
    const schema = tokens[at + 1]?.text === '.' ? tokens[at + 2] : undefined;
    return sql.slice(from, (schema ?? tokens[at])?.to);
  });
}

const COMPUTING_WORDS = new Set('group having over window limit offset fetch'.split(' '));
const GATHERING_WORDS = new Set('any some all array json_array'.split(' '));

/** Of SQL that cannot be read, by its words alone: a column that is called as an aggregate counts as one. */
function mayCompute(sql: string, isAggregate: (name: string) => boolean): boolean {
  const tokens = tokensOf(sql);
  return tokens.some(({ kind, text }, at) => {
    if (kind !== 'word' && kind !== 'quoted') return false;
    const next = tokens[at + 1]?.text;
    return (
      isAggregate(text) ||
      COMPUTING_WORDS.has(text) ||
      (GATHERING_WORDS.has(text) && next === '(') ||
      (text === 'distinct' && next === 'on')
    );
  });
}

const OTHERWISE = 'write `totals: all rows` if everyone may see what is computed of all rows.';

class NotInside extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Where a column stands in what a query gives. */
type Selector = { readonly name: string } | { readonly index: number };
/** The CTEs that a name may mean, the nearest last. */
type Scope = readonly Cte[];

interface Level {
  readonly select: Select;
  readonly scope: Scope;
}

interface PlaceParams {
  readonly query: Query;
  readonly column: string;
  readonly depends: Depends;
}

/** By SELECT, the expressions that the rule is about there. */
function placeRule({ query, column, depends }: PlaceParams): Map<Select, string[]> {
  const conditions = new Map<Select, string[]>();
  const placed = new Set<Query>();
  /** What the rule's column comes from, which gets the rule if totals are made of it. */
  const reachable = new Map<Query, { selector: Selector; scope: Scope }>();
  const unreached: Unreached[] = [];

  function placeQuery(target: Query, selector: Selector, outer: Scope): void {
    if (placed.has(target)) return;
    placed.add(target);
    const scope = [...outer, ...target.ctes];
    const position = target.branches.length === 1 ? selector : indexOf(target, selector);
    for (const branch of target.branches) {
      if (branch.kind === 'rows' && target.isLimited) throw notReached(column, LIMIT(0));
      if (branch.kind === 'rows')
        unreached.push({ ...onlyOf(branch), scope, isPicked: false, gatheredBy: null });
      if (branch.kind === 'query') placeQuery(branch.query, position, scope);
      if (branch.kind !== 'select') continue;
      const item = itemOf(branch.select, position);
      if (item === null)
        throw new NotInside(
          `The row rule on ${column} has to come before what is computed here, and this part does not say which of its columns that is. Write the column with its name, not *, or ${OTHERWISE}`,
          branch.select.at,
        );
      placeSelect({ select: branch.select, scope }, item);
      // A condition on a constant takes all rows or none.
      if (item.isConstant && branch.select.from.length > 0)
        unreached.push({
          ...onlyOf(branch, target.isLimited),
          scope,
          isPicked: true,
          gatheredBy: null,
        });
    }
  }

  function placeSelect(level: Level, expression: Expression): void {
    const { select, scope } = level;
    const computed = expression.calls.find(({ name }) => depends.isComputed(name));
    if (computed !== undefined)
      throw new NotInside(
        `The row rule is on ${column}, which is computed of several rows here. Group by the column and select it as it is, or ${OTHERWISE}`,
        computed.at,
      );
    const known = conditions.get(select) ?? [];
    if (!known.includes(expression.text)) conditions.set(select, [...known, expression.text]);
    const equal = equalTo(select, expression.column);
    const [origin] = equal;
    const isKnown = select.from.some(({ alias }) => alias === origin?.of);
    for (const item of select.from) {
      const child = queryOf(item, scope);
      if (child === null) continue;
      const columns = equal.filter(({ of }) => of === item.alias);
      placeChild(
        { child, item, columns, mayBeOrigin: !isKnown || origin?.of === item.alias },
        level,
        equal,
      );
    }
    for (const { query: inner, gatheredBy } of select.subqueries) {
      const isPicked = !isLookup(inner, select);
      if (gatheredBy !== null || depends.on(inner, scope, isPicked))
        placeOther({ query: inner, scope, isPicked, gatheredBy }, level, equal);
    }
  }

  function placeChild(
    { child, item, columns, mayBeOrigin }: Joined,
    level: Level,
    equal: readonly ColumnName[],
  ): void {
    const { inner, scope, isRecursive, isShared } = child;
    const isPicked = mayBeOrigin || isShared || !isLookup(inner, level.select);
    const computes = depends.on(inner, scope, isPicked);
    const [first] = columns;
    if (first !== undefined && !isRecursive) {
      const selector = selectorOf(first.column, item.columns ?? child.columns);
      reachable.set(inner, { selector, scope });
      if (computes || (mayBeOrigin && !isShared)) placeQuery(inner, selector, scope);
    } else if (computes)
      placeOther({ query: inner, scope, isPicked, gatheredBy: null }, level, equal);
  }

  /** A subquery whose columns are equal to none of the rule's: it may name one of the outer row's itself. */
  function placeOther(other: Unreached, level: Level, equal: readonly ColumnName[]): void {
    const { query: inner, scope } = other;
    const levels = inner.branches.map((branch) =>
      branch.kind === 'select' ? correlated(branch.select, equal, level.select) : null,
    );
    const found = levels.filter((each) => each !== null);
    if (found.length < levels.length) return void unreached.push(other);
    placed.add(inner);
    for (const { select, expression } of found)
      placeSelect({ select, scope: [...scope, ...inner.ctes] }, expression);
  }

  /** Of what was not reached: does it read nothing but what has the rule inside? */
  function checkReached({ query: target, scope: outer, isPicked, gatheredBy }: Unreached): void {
    if (placed.has(target)) return;
    const scope = [...outer, ...target.ctes];
    for (const branch of target.branches) {
      if (branch.kind === 'query')
        checkReached({ query: branch.query, scope, isPicked, gatheredBy });
      if (branch.kind === 'rows')
        for (const inner of branch.subqueries) checkReached({ ...inner, scope, isPicked: true });
      if (branch.kind !== 'select') continue;
      const { select } = branch;
      const isChoice = isPicked && (target.isLimited || select.hasDistinctOn);
      const computes =
        depends.ofSelect(select) ??
        (gatheredBy !== null
          ? { name: gatheredBy, at: select.at }
          : isChoice
            ? LIMIT(select.at)
            : null);
      if (computes !== null && !readsPlaced(select, scope)) throw notReached(column, computes);
      for (const item of select.from) {
        const child = queryOf(item, scope);
        if (child !== null)
          checkReached({
            query: child.inner,
            scope: child.scope,
            isPicked: child.isShared || !isLookup(child.inner, select),
            gatheredBy: null,
          });
      }
      for (const inner of select.subqueries)
        checkReached({ ...inner, scope, isPicked: !isLookup(inner.query, select) });
    }
  }

  /** Each of its rows has one in it that comes from where the rule is. */
  function readsPlaced({ from }: Select, scope: Scope): boolean {
    const [first, ...others] = from;
    const child = first === undefined ? null : queryOf(first, scope);
    if (child === null || others.some(({ join }) => join !== 'inner' && join !== 'left'))
      return false;
    const { inner, isRecursive } = child;
    const way = reachable.get(inner);
    if (way !== undefined) placeQuery(inner, way.selector, way.scope);
    if (placed.has(inner)) return true;
    const own = [...child.scope, ...inner.ctes];
    return (
      !isRecursive &&
      inner.branches.every((branch) => branch.kind === 'select' && readsPlaced(branch.select, own))
    );
  }

  placeQuery(query, { name: column }, []);
  for (const each of unreached) checkReached(each);
  return conditions;
}

interface Joined {
  readonly child: Child;
  readonly item: FromItem;
  /** Of the item, those that are equal to what the rule is about. */
  readonly columns: readonly ColumnName[];
  /** The rule's column comes from it, as far as the text says. */
  readonly mayBeOrigin: boolean;
}

/** A query that the rule's column does not lead to. */
interface Unreached {
  readonly query: Query;
  readonly scope: Scope;
  /** Picking rows of it counts as well. Not so of a lookup: the latest row of another table, for each row, is of a table that is joined. */
  readonly isPicked: boolean;
  readonly gatheredBy: string | null;
}

/** A branch by itself, which is checked although the rule was placed in it. */
function onlyOf(branch: Branch, isLimited = false): Pick<Unreached, 'query'> {
  return { query: { ctes: [], branches: [branch], isLimited } };
}

/** It is read for each row of the SELECT around it, by a column that is equal to one of that row's. */
function isLookup({ branches }: Query, around: Select): boolean {
  const outer = new Set(around.from.map(({ alias }) => alias));
  return branches.every((branch) => {
    if (branch.kind !== 'select') return false;
    const own = new Set(branch.select.from.map(({ alias }) => alias));
    const isOuter = ({ of }: ColumnName) => of !== null && outer.has(of) && !own.has(of);
    const isOwn = (column: ColumnName) => own.has(whole(branch.select, column).of ?? '');
    return branch.select.equalities.some(
      ({ left, right }) => (isOuter(left) && isOwn(right)) || (isOwn(left) && isOuter(right)),
    );
  });
}

const LIMIT = (at: number) => ({ name: 'LIMIT or DISTINCT ON', at });

function notReached(column: string, { name, at }: { name: string; at: number }): NotInside {
  return new NotInside(
    `What ${name} gives here would be of all rows, also of those that the row rule on ${column} hides. Have the column in this part too and join by it (… ON x.${column} = t.${column}), or ${OTHERWISE}`,
    at,
  );
}

/** What a rule is about at one place. */
type Expression = Pick<SelectItem, 'text' | 'column' | 'isConstant' | 'calls'>;

function itemOf({ items }: Select, selector: Selector): Expression | null {
  if ('index' in selector) {
    const isCounted = items.slice(0, selector.index + 1).every(({ star }) => star === null);
    return isCounted ? (items[selector.index] ?? null) : null;
  }
  const named = items.find(({ name }) => name === selector.name);
  if (named !== undefined) return named;
  const stars = items.flatMap(({ star }) => star ?? []);
  const [only] = stars;
  if (only === undefined) return null;
  const of = stars.length === 1 ? only.of : null;
  const column = { of, column: selector.name };
  const text = [of, selector.name].flatMap((name) => (name === null ? [] : quoted(name))).join('.');
  return { text, column, isConstant: false, calls: [] };
}

/** Branches of a UNION have their columns by place. */
function indexOf(query: Query, selector: Selector): Selector {
  if ('index' in selector) return selector;
  const [first] = query.branches;
  if (first?.kind === 'query') return indexOf(first.query, selector);
  const items = first?.kind === 'select' ? first.select.items : [];
  const index = items.findIndex(({ name }) => name === selector.name);
  // A place that none has: whoever looks for it says so.
  return { index: index === -1 ? Number.MAX_SAFE_INTEGER : index };
}

function selectorOf(column: string, columns: readonly string[] | null): Selector {
  const index = columns?.indexOf(column) ?? -1;
  return index === -1 ? { name: column } : { index };
}

interface Child {
  readonly inner: Query;
  readonly scope: Scope;
  readonly columns: readonly string[] | null;
  readonly isRecursive: boolean;
  /** Others may read it too. */
  readonly isShared: boolean;
}

/** What an item of FROM reads, where that is a query of the same SQL. */
function queryOf({ source }: FromItem, scope: Scope): Child | null {
  if (source.kind === 'query')
    return { inner: source.query, scope, columns: null, isRecursive: false, isShared: false };
  if (source.kind !== 'table' || source.isQualified) return null;
  const at = scope.findLastIndex(({ name }) => name === source.name);
  const cte = scope[at];
  if (cte === undefined) return null;
  const { query: inner, columns, isRecursive } = cte;
  return { inner, scope: scope.slice(0, at), columns, isRecursive, isShared: true };
}

/** With the table: where there is one only, a column alone is of that one. */
function whole({ from }: Select, column: ColumnName): ColumnName {
  const [only] = from;
  return column.of === null && from.length === 1 && only !== undefined
    ? { of: only.alias, column: column.column }
    : column;
}

function keyOf({ of, column }: ColumnName): string {
  return JSON.stringify([of, column]);
}

/** The column first, then what is equal to it in every row that has it. */
function equalTo(select: Select, column: ColumnName | null): ColumnName[] {
  if (column === null) return [];
  const origin = whole(select, column);
  const found = new Map([[keyOf(origin), origin]]);
  const pairs = select.equalities.map(({ left, right, outer }) => ({
    pair: [whole(select, left), whole(select, right)] as const,
    outer,
  }));
  for (let size = 0; size < found.size;) {
    ({ size } = found);
    for (const { pair, outer } of pairs)
      for (const [from, to] of [pair, pair.toReversed()])
        if (from !== undefined && to !== undefined && found.has(keyOf(from)))
          // What an outer join says holds for what it adds; for the rest too if the rule's column is added by it, which is then not NULL.
          if (outer === null || to.of === outer || origin.of === outer) found.set(keyOf(to), to);
  }
  return [...found.values()];
}

/** A subquery's own column that its WHERE has equal to what the rule is about in the row around it. */
function correlated(
  inner: Select,
  equal: readonly ColumnName[],
  outer: Select,
): { select: Select; expression: Expression } | null {
  const own = new Set(inner.from.map(({ alias }) => alias));
  const outerAliases = new Set(outer.from.map(({ alias }) => alias));
  const keys = new Set(equal.map(keyOf));
  for (const { left, right, outer: isOuter } of inner.equalities) {
    if (isOuter !== null) continue;
    for (const [here, there] of [
      [left, right],
      [right, left],
    ] as const) {
      const isThere =
        there.of !== null &&
        !own.has(there.of) &&
        outerAliases.has(there.of) &&
        keys.has(keyOf(there));
      const column = whole(inner, here);
      if (!isThere || column.of === null || !own.has(column.of)) continue;
      const text = `${quoted(column.of)}.${quoted(column.column)}`;
      return { select: inner, expression: { text, column, isConstant: false, calls: [] } };
    }
  }
  return null;
}

interface Depends {
  /** Of several rows: aggregates and windows. */
  isComputed(name: string): boolean;
  /** What a SELECT computes of several rows, its subqueries aside. */
  ofSelect(select: Select): { name: string; at: number } | null;
  /** A query, with all that it reads: it computes, or picks rows (LIMIT, DISTINCT ON). `isPicked` false: not by its own LIMIT. */
  on(query: Query, scope: Scope, isPicked: boolean): boolean;
}

function createDepends(isAggregate: (name: string) => boolean): Depends {
  const isComputed = (name: string) => name === 'over' || isAggregate(name);

  function ofSelect(select: Select): { name: string; at: number } | null {
    const call = select.calls.find(({ name }) => isComputed(name));
    if (call !== undefined)
      return { name: call.name === 'over' ? 'the window' : `${call.name}()`, at: call.at };
    return select.isGrouped ? { name: 'GROUP BY', at: select.at } : null;
  }

  /** By query; while it is looked at, itself again (a recursive CTE) adds nothing. */
  const known = { lookup: new Map<Query, boolean>(), picked: new Map<Query, boolean>() };

  function on(query: Query, outer: Scope, isPicked: boolean): boolean {
    const found = isPicked ? known.picked : known.lookup;
    const before = found.get(query);
    if (before !== undefined) return before;
    found.set(query, false);
    const scope = [...outer, ...query.ctes];
    const isFound =
      (isPicked && query.isLimited) ||
      query.branches.some((branch) => {
        if (branch.kind === 'query') return on(branch.query, scope, isPicked);
        if (branch.kind === 'rows')
          return branch.subqueries.some((each) => onSubquery(each, scope));
        return (isPicked && branch.select.hasDistinctOn) || onSelect(branch.select, scope);
      });
    found.set(query, isFound);
    return isFound;
  }

  function onSubquery({ query, gatheredBy }: Subquery, scope: Scope, around?: Select): boolean {
    const isPicked = around === undefined || !isLookup(query, around);
    return gatheredBy !== null || on(query, scope, isPicked);
  }

  function onSelect(select: Select, scope: Scope): boolean {
    return (
      ofSelect(select) !== null ||
      select.subqueries.some((each) => onSubquery(each, scope, select)) ||
      select.from.some((item) => {
        const child = queryOf(item, scope);
        if (child === null) return false;
        return on(child.inner, child.scope, child.isShared || !isLookup(child.inner, select));
      })
    );
  }

  return { isComputed, ofSelect, on };
}

function edited(sql: string, conditions: ReadonlyMap<Select, readonly string[]>): string {
  const pieces = [...conditions].flatMap(([{ where }, texts]) => {
    const rules = texts.map((text) => `(${text})`).join(' AND ');
    return where.from === where.to
      ? [{ at: where.to, text: ` WHERE ${rules}` }]
      : [
          { at: where.from, text: `${rules} AND (` },
          { at: where.to, text: ')' },
        ];
  });
  let text = '';
  let done = 0;
  for (const piece of pieces.toSorted((one, other) => one.at - other.at)) {
    text += sql.slice(done, piece.at) + piece.text;
    done = piece.at;
  }
  return text + sql.slice(done);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
