import type { Knex } from 'knex';
import type { Millrace } from 'millrace';
import { confirmOrder } from './orders.ts';

export async function order(knex: Knex, millrace: Millrace, article: string): Promise<void> {
  await knex.transaction(async (trx) => {
    await trx('orders').insert({ article });
    await millrace.enqueue(confirmOrder, { article }, { transaction: trx });
  });
}
