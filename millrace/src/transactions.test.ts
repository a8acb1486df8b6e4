import type pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useDatabases } from '../test/databases.ts';
import { greet } from '../test/kinds.ts';
import { open } from '../test/open.ts';
import { checkTransactions } from '../test/transactions.ts';
import { type Transaction, joinable } from './transactions.ts';

const { fresh } = useDatabases();

/** A transaction of a client of pg, and an order in it; `given` is what Millrace gets to see of the client. */
async function ordering(
  pool: pg.Pool,
  work: (given: Transaction) => Promise<void>,
  given: (client: pg.PoolClient) => Transaction,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('INSERT INTO orders (article) VALUES ($1)', ['chair']);
    await work(given(client));
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

describe('a client of pg', () => {
  checkTransactions(fresh, async ({ pool }) => ({
    transact: (work) => ordering(pool, work, (client) => client),
  }));

  it('keeps no statement of ours, which a pooler in front of it would lose', async () => {
    const { url, pool } = await fresh();
    const millrace = await open({ database: url, jobs: [greet] });
    const client = await pool.connect();
    onTestFinished(() => client.release());
    await client.query('BEGIN');
    await millrace.enqueue(greet, { name: 'Ada' }, { transaction: client, key: 'ada' });
    await client.query('COMMIT');
    const { rows } = await client.query('SELECT name FROM pg_prepared_statements');
    expect(rows).toEqual([]);
  });

  it('has to be in a transaction', async () => {
    const { url, pool } = await fresh();
    const millrace = await open({ database: url, jobs: [greet] });
    const client = await pool.connect();
    onTestFinished(() => client.release());
    const within = () => millrace.enqueue(greet, { name: 'Ada' }, { transaction: client });
    await expect(within()).rejects.toThrow('The client is in no transaction');
    expect(await millrace.counts()).toEqual([]);
    const begun = client.query('BEGIN'); // sent, and not answered yet
    await within();
    await begun;
    await client.query('COMMIT');
    await expect(within()).rejects.toThrow('The client is in no transaction');
    expect(await millrace.counts()).toMatchObject([{ count: 1 }]);
  });
});

describe('anything that runs SQL', () => {
  checkTransactions(fresh, async ({ pool }) => ({
    transact: (work) =>
      ordering(pool, work, (client) => ({
        executeSql: (sql, values) => client.query(sql, values),
      })),
  }));

  it('says so when it gives no rows', async () => {
    const { url } = await fresh();
    const millrace = await open({ database: url, jobs: [greet] });
    const transaction = { executeSql: async () => [] } as unknown as Transaction;
    await expect(millrace.enqueue(greet, { name: 'Ada' }, { transaction })).rejects.toThrow(
      'executeSql gave no rows. It has to give { rows: [ … ] }',
    );
  });
});

it('a transaction of PGlite is joined as it is', () => {
  const transaction = { query() {}, exec() {} };
  expect(joinable(transaction)).toBe(transaction);
});

it('what is no transaction is refused', async () => {
  const { url, pool } = await fresh();
  const millrace = await open({ database: url, jobs: [greet] });
  const within = (transaction: unknown) =>
    millrace.enqueue(greet, { name: 'Ada' }, { transaction: transaction as Transaction });
  await expect(within({})).rejects.toThrow('The transaction is of no known kind.');
  await expect(within(null)).rejects.toThrow('The transaction is of no known kind.');
  await expect(within(pool)).rejects.toThrow('A pool runs each statement on any of its clients');
  const prisma = { $queryRawUnsafe() {}, $disconnect() {} };
  await expect(within(prisma)).rejects.toThrow(
    'The transaction is Prisma itself, outside of any transaction. Give what prisma.$transaction(async (tx) => …) hands you.',
  );
  // @ts-expect-error nor does it compile
  await expect(millrace.enqueue(greet, { name: 'Ada' }, { transaction: pool })).rejects.toThrow();
  expect(await millrace.counts()).toEqual([]);
});
