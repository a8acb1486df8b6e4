import { MillraceError } from '@millrace/engine';
import { sessionOf } from '@millrace/store-postgres';

/**
 * A transaction that the program itself has begun, which jobs are to be made in. Types and checks are structural: the
 * package depends on no ORM, and the program's own version of one may be any.
 */
export type Transaction =
  | PgTransaction
  | DrizzleTransaction
  | KyselyTransaction
  | KnexTransaction
  | PrismaTransaction
  | AnyTransaction;

/** A client of `pg` after its BEGIN, not a pool; or the transaction of PGlite. */
export interface PgTransaction {
  readonly query: AnyFunction;
  readonly totalCount?: undefined;
}

/** The `tx` of `db.transaction(async (tx) => …)`. */
export interface DrizzleTransaction {
  readonly execute: AnyFunction;
  readonly rollback: AnyFunction;
}

/** The `trx` of `db.transaction().execute(async (trx) => …)`. */
export interface KyselyTransaction {
  readonly executeQuery: AnyFunction;
  readonly isTransaction: true;
}

/** The `trx` of `knex.transaction(async (trx) => …)`. */
export interface KnexTransaction {
  readonly raw: AnyFunction;
  readonly isCompleted: AnyFunction;
}

/** The `tx` of `prisma.$transaction(async (tx) => …)`. */
export interface PrismaTransaction {
  readonly $queryRawUnsafe: AnyFunction;
  readonly $disconnect?: undefined;
}

/** Whatever else runs a statement with `$1`, `$2`, … in a transaction. */
export interface AnyTransaction {
  executeSql(sql: string, values: unknown[]): Promise<{ readonly rows: readonly object[] }>;
}

/** Every function is one of these. */
type AnyFunction = (...given: never[]) => unknown;

type Value = string | number | boolean | null;
type Rows = readonly Record<string, unknown>[];

interface Adapter {
  readonly name: string;
  /** The library's, whether it is a transaction or not. */
  readonly knows: (given: Members) => boolean;
  readonly isTransaction: (given: Members) => boolean;
  /** The call that yields its transactions, for the error message. */
  readonly givenBy: string;
  readonly run: (given: never, sql: string, values: readonly Value[]) => Promise<Rows>;
}

/** An object or a function, by the names of its members. */
type Members = Readonly<Record<string, unknown>>;

const ADAPTERS: readonly Adapter[] = [
  {
    name: 'Prisma',
    knows: (given) => has(given, '$queryRawUnsafe'),
    isTransaction: (given) => !has(given, '$disconnect'),
    givenBy: 'prisma.$transaction(async (tx) => …)',
    run: (
      tx: { $queryRawUnsafe(sql: string, ...values: readonly Value[]): Promise<Rows> },
      sql,
      values,
    ) => tx.$queryRawUnsafe(sql, ...values),
  },
  {
    name: 'Knex',
    knows: (given) => has(given, 'raw') && has(given, 'transaction'),
    isTransaction: (given) => has(given, 'isCompleted'),
    givenBy: 'knex.transaction(async (trx) => …)',
    async run(
      trx: { raw(sql: string, values: readonly Value[]): PromiseLike<{ rows: Rows }> },
      sql,
      values,
    ) {
      const asked = withQuestionMarks(sql, values);
      return (await trx.raw(asked.sql, asked.values)).rows;
    },
  },
  {
    name: 'Kysely',
    knows: (given) => has(given, 'executeQuery'),
    isTransaction: (given) => given['isTransaction'] === true,
    givenBy: 'db.transaction().execute(async (trx) => …)',
    run: async (
      trx: { executeQuery(compiled: object): Promise<{ rows: Rows }> },
      sql,
      parameters,
    ) => (await trx.executeQuery(compiledForKysely(sql, parameters))).rows,
  },
  {
    name: 'Drizzle',
    knows: (given) => has(given, 'execute') && has(given, 'transaction'),
    isTransaction: (given) => has(given, 'rollback'),
    givenBy: 'db.transaction(async (tx) => …)',
    async run(
      tx: { execute(sql: object): PromiseLike<Rows | { readonly rows: Rows }> },
      sql,
      params,
    ) {
      const answer = await tx.execute(sqlForDrizzle(sql, params));
      return 'rows' in answer ? answer.rows : answer;
    },
  },
  {
    name: 'executeSql',
    knows: (given) => has(given, 'executeSql'),
    isTransaction: () => true,
    givenBy: '',
    async run(given: AnyTransaction, sql, values) {
      const { rows } = await given.executeSql(sql, [...values]);
      if (Array.isArray(rows)) return rows as Rows;
      throw new MillraceError(
        'unsupported_by_store',
        'executeSql gave no rows. It has to give { rows: [ … ] }, an object for each row by the names of its columns.',
      );
    },
  },
];

/** A transaction that the store can join. Clients of `pg` and transactions of PGlite are passed through. */
export function joinable(transaction: Transaction): unknown {
  if (!isMembers(transaction)) throw notOne();
  const adapter = ADAPTERS.find(({ knows }) => knows(transaction));
  if (adapter === undefined) {
    if (!has(transaction, 'query')) throw notOne();
    return transaction;
  }
  if (!adapter.isTransaction(transaction)) throw notInside(adapter);
  return sessionOf((sql, values) => adapter.run(transaction as never, sql, values));
}

/** Knex's own placeholders. It reads a question mark with a backslash before it as one. */
function withQuestionMarks(
  sql: string,
  values: readonly Value[],
): { readonly sql: string; readonly values: Value[] } {
  const inOrder: Value[] = [];
  const asked = sql.replaceAll(/\?|\$(\d+)/g, (found, place?: string) => {
    if (place === undefined) return `\\${found}`;
    inOrder.push(values[Number(place) - 1] ?? null);
    return '?';
  });
  return { sql: asked, values: inOrder };
}

/** As Kysely's `CompiledQuery.raw` makes it. Its plugins know a query by the object `queryId`. */
function compiledForKysely(sql: string, parameters: readonly Value[]): object {
  const query = { kind: 'RawNode', sqlFragments: [sql], parameters: [] };
  return { sql, parameters, query, queryId: { queryId: 'millrace' } };
}

/** The interface of Drizzle's `sql` objects: conversion into a text and its parameters. */
function sqlForDrizzle(sql: string, params: readonly Value[]): object {
  const statement = { getSQL: () => statement, toQuery: () => ({ sql, params: [...params] }) };
  return statement;
}

function isMembers(value: unknown): value is Members {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function has(given: Members, name: string): boolean {
  return typeof given[name] === 'function';
}

function notInside({ name, givenBy }: Adapter): MillraceError {
  return new MillraceError(
    'unsupported_by_store',
    `The transaction is ${name} itself, outside of any transaction. Give what ${givenBy} hands you.`,
  );
}

function notOne(): MillraceError {
  return new MillraceError(
    'unsupported_by_store',
    'The transaction is of no known kind. Give a client of pg, a transaction of PGlite, Drizzle, Kysely, Knex or Prisma, or an object with executeSql(sql, values).',
  );
}
