import type { Generated, Kysely } from 'kysely';
import type { Millrace } from 'millrace';
import { confirmOrder } from './orders.ts';

export interface Tables {
  orders: { id: Generated<number>; article: string };
}

export async function order(
  db: Kysely<Tables>,
  millrace: Millrace,
  article: string,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.insertInto('orders').values({ article }).execute();
    await millrace.enqueue(confirmOrder, { article }, { transaction: trx });
  });
}
