import type { Millrace } from 'millrace';
import type pg from 'pg';
import { confirmOrder } from './orders.ts';

export async function order(pool: pg.Pool, millrace: Millrace, article: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('INSERT INTO orders (article) VALUES ($1)', [article]);
    await millrace.enqueue(confirmOrder, { article }, { transaction: client });
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
