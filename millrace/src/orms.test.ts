import { drizzle } from 'drizzle-orm/node-postgres';
import { pgTable, serial, text } from 'drizzle-orm/pg-core';
import createKnex from 'knex';
import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useDatabases } from '../test/databases.ts';
import { confirmOrder } from '../test/documented/orders.ts';
import { order as orderWithDrizzle } from '../test/documented/with-drizzle.ts';
import { order as orderWithKnex } from '../test/documented/with-knex.ts';
import { type Tables, order as orderWithKysely } from '../test/documented/with-kysely.ts';
import { greet } from '../test/kinds.ts';
import { open } from '../test/open.ts';
import { checkTransactions } from '../test/transactions.ts';
import type { Transaction } from './index.ts';

// Prisma has a folder of its own, with its own packages: test/prisma.

const { fresh } = useDatabases();
const orders = pgTable('orders', { id: serial().primaryKey(), article: text().notNull() });

describe('Drizzle', () => {
  checkTransactions(fresh, async ({ pool }) => ({
    transact: (work) =>
      drizzle(pool).transaction(async (tx) => {
        await tx.insert(orders).values({ article: 'chair' });
        await work(tx);
      }),
  }));
});

describe('Kysely', () => {
  checkTransactions(fresh, async ({ pool }) => {
    const db = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool }),
      plugins: [new CamelCasePlugin()],
    });
    return {
      transact: (work) =>
        db.transaction().execute(async (trx) => {
          await trx.insertInto('orders').values({ article: 'chair' }).execute();
          await work(trx);
        }),
    };
  });
});

describe('Knex', () => {
  checkTransactions(fresh, async ({ url }) => {
    const knex = createKnex({ client: 'pg', connection: url });
    return {
      transact: (work) =>
        knex.transaction(async (trx) => {
          await trx('orders').insert({ article: 'chair' });
          await work(trx);
        }),
      close: () => knex.destroy(),
    };
  });
});

it('as the page says', async () => {
  const { url, pool } = await fresh();
  await pool.query('CREATE TABLE orders (id serial PRIMARY KEY, article text NOT NULL)');
  const millrace = await open({ database: pool, jobs: [confirmOrder] });
  const knex = createKnex({ client: 'pg', connection: url });
  onTestFinished(() => knex.destroy());
  await orderWithDrizzle(drizzle(pool), millrace, 'chair');
  await orderWithKysely(
    new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }),
    millrace,
    'bench',
  );
  await orderWithKnex(knex, millrace, 'table');
  await millrace.start();
  const { jobs } = await millrace.list();
  const ended = await Promise.all(jobs.map(({ id }) => millrace.finished(id)));
  expect(ended.map(({ data }) => data)).toEqual([
    { article: 'table' },
    { article: 'bench' },
    { article: 'chair' },
  ]);
});

it('outside of a transaction they are refused, and do not compile', async () => {
  const { url, pool } = await fresh();
  const millrace = await open({ database: url, jobs: [greet] });
  const knex = createKnex({ client: 'pg', connection: url });
  onTestFinished(() => knex.destroy());
  const db = drizzle(pool);
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  // @ts-expect-error Drizzle itself
  const one: Transaction = db;
  // @ts-expect-error Kysely itself
  const two: Transaction = kysely;
  // @ts-expect-error Knex itself
  const three: Transaction = knex;
  for (const [name, transaction] of Object.entries({ Drizzle: one, Kysely: two, Knex: three }))
    await expect(millrace.enqueue(greet, { name: 'Ada' }, { transaction })).rejects.toThrow(
      `The transaction is ${name} itself, outside of any transaction.`,
    );
  expect(await millrace.counts()).toEqual([]);
});
