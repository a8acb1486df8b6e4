import { describe, expect, it, onTestFinished } from 'vitest';
import type { Transaction } from '../../src/index.ts';
import { useDatabases } from '../databases.ts';
import { confirmOrder } from '../documented/orders.ts';
import { open } from '../open.ts';
import { checkTransactions } from '../transactions.ts';
import { openPrisma } from './client.ts';
import { order } from './order.ts';

const { fresh } = useDatabases();

describe('Prisma', () => {
  checkTransactions(fresh, async ({ url }) => {
    const prisma = openPrisma(url);
    return {
      transact: (work) =>
        prisma.$transaction(async (tx) => {
          await tx.order.create({ data: { article: 'chair' } });
          await work(tx);
        }),
      close: () => prisma.$disconnect(),
    };
  });
});

it('as the page says, and not outside of a transaction', async () => {
  const { url, pool } = await fresh();
  await pool.query('CREATE TABLE orders (id serial PRIMARY KEY, article text NOT NULL UNIQUE)');
  const prisma = openPrisma(url);
  onTestFinished(() => prisma.$disconnect());
  const millrace = await open({ database: url, jobs: [confirmOrder] });
  await order(prisma, millrace, 'chair');
  expect((await millrace.list()).jobs).toMatchObject([{ kind: 'confirm-order' }]);
  // @ts-expect-error Prisma itself
  const transaction: Transaction = prisma;
  await expect(
    millrace.enqueue(confirmOrder, { article: 'bench' }, { transaction }),
  ).rejects.toThrow('The transaction is Prisma itself, outside of any transaction.');
});
