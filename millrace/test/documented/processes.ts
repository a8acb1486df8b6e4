import { type Millrace, createMillrace } from 'millrace';
import type pg from 'pg';
import { confirmOrder } from './orders.ts';

/** web.ts: enqueues, and runs nothing. */
export function openWeb(pool: pg.Pool): Promise<Millrace> {
  return createMillrace({ database: pool, jobs: [confirmOrder], connections: 2 });
}

/** worker.ts, as often as you like. */
export async function startWorker(pool: pg.Pool): Promise<Millrace> {
  const worker = await createMillrace({
    database: pool,
    jobs: [confirmOrder],
    pools: [
      { name: 'orders', kinds: ['confirm-order'], concurrency: 50 },
      { name: 'rest', concurrency: 5 },
    ],
    name: 'shop-worker',
  });
  await worker.start();
  return worker;
}
