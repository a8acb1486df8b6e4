import type { Millrace } from 'millrace';
import { confirmOrder } from './orders.ts';

/** As TypeORM has one: the rows themselves are the answer. */
export interface Manager {
  query(sql: string, values?: unknown[]): Promise<object[]>;
}

export async function order(manager: Manager, millrace: Millrace, article: string): Promise<void> {
  await manager.query('INSERT INTO orders (article) VALUES ($1)', [article]);
  const transaction = {
    executeSql: async (sql: string, values: unknown[]) => ({
      rows: await manager.query(sql, values),
    }),
  };
  await millrace.enqueue(confirmOrder, { article }, { transaction });
}
