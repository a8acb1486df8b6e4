import { defineJob, done } from '@millrace/engine';
import type { Millrace } from 'millrace';
import { z } from 'zod';

/**
 * A row of yours and the job about it, in one transaction: both are there, or neither is. `placeOrder` is for your
 * application, whose tables are in the database of DATABASE_URL; README.md shows how it gets a `millrace`. `confirmOrder` runs
 * there, or in a server on the same database.
 *
 * A job needs none of this for what follows from it: what it gives to `enqueue` is written with its own end.
 */
export const confirmOrder = defineJob({
  kind: 'confirm-order',
  input: z.object({ order: z.number().int() }),
  run: async ({ data }) => done(`Order ${data.order} is confirmed.`),
});

/** As the package pg has it. */
export interface Client {
  query(sql: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

const inserted = z.tuple([z.object({ id: z.number() })]);

export async function placeOrder(
  client: Client,
  millrace: Millrace,
  article: string,
): Promise<string> {
  await client.query('BEGIN');
  try {
    const insert = 'INSERT INTO orders (article) VALUES ($1) RETURNING id';
    const { rows } = await client.query(insert, [article]);
    const [{ id: order }] = inserted.parse(rows);
    // No worker can see the job before the commit.
    const options = { key: `order-${order}`, transaction: client };
    const { id } = await millrace.enqueue(confirmOrder, { order }, options);
    await client.query('COMMIT');
    return id;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}
