import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { pgTable, serial, text } from 'drizzle-orm/pg-core';
import type { Millrace } from 'millrace';
import { confirmOrder } from './orders.ts';

const orders = pgTable('orders', { id: serial().primaryKey(), article: text().notNull() });

export async function order(
  db: NodePgDatabase,
  millrace: Millrace,
  article: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.insert(orders).values({ article });
    await millrace.enqueue(confirmOrder, { article }, { transaction: tx });
  });
}
