import { expect, it, onTestFinished } from 'vitest';
import type { Transaction } from '../src/index.ts';
import type { AppDatabase } from './databases.ts';
import { greet } from './kinds.ts';
import { open } from './open.ts';

/** How a library runs a transaction on the database: an order of an article first, then the work. */
export interface Library {
  transact(work: (transaction: Transaction) => Promise<void>): Promise<void>;
  close?(): Promise<void>;
}

/** What holds for the transactions of every library. */
export function checkTransactions(
  fresh: () => Promise<AppDatabase>,
  openLibrary: (database: AppDatabase) => Promise<Library>,
): void {
  async function start() {
    const database = await fresh();
    await database.pool.query(
      'CREATE TABLE orders (id serial PRIMARY KEY, article text NOT NULL UNIQUE)',
    );
    const library = await openLibrary(database);
    const millrace = await open({ database: database.pool, jobs: [greet] });
    onTestFinished(async () => library.close?.());
    const orders = async () => (await database.pool.query('SELECT article FROM orders')).rows;
    return { library, millrace, orders };
  }

  it('its commit makes the job, which nobody has seen before', async () => {
    const { library, millrace, orders } = await start();
    await millrace.start();
    let id = '';
    await library.transact(async (transaction) => {
      ({ id } = await millrace.enqueue(greet, { name: 'Ada' }, { transaction }));
      expect(id).toMatch(/^pg-\d+$/);
      // A worker that looks for work now finds none: this one runs after the job above was written.
      const { id: other } = await millrace.enqueue(greet, { name: 'Bea' });
      expect(await millrace.finished(other)).toMatchObject({ state: 'SUCCEEDED' });
      expect(await millrace.get(id)).toBeNull();
    });
    expect(await millrace.finished(id)).toMatchObject({ result: 'Good morning, Ada.' });
    expect(await orders()).toEqual([{ article: 'chair' }]);
  });

  it('its rollback makes none', async () => {
    const { library, millrace, orders } = await start();
    let id = '';
    const undone = library.transact(async (transaction) => {
      ({ id } = await millrace.enqueue(greet, { name: 'Ada' }, { transaction }));
      throw new Error('the payment was refused');
    });
    await expect(undone).rejects.toThrow('the payment was refused');
    expect(await millrace.get(id)).toBeNull();
    expect(await millrace.counts()).toEqual([]);
    expect(await orders()).toEqual([]);
  });

  it('takes many jobs, with keys that are taken and texts that no SQL may read', async () => {
    const { library, millrace } = await start();
    const before = await millrace.enqueue(greet, { name: 'Ada' }, { key: 'ada' });
    const name = `O'Hara ? $1 :name "{}" \\ 😀`;
    let made: readonly { id: string; created: boolean }[] = [];
    await library.transact(async (transaction) => {
      const jobs = ['ada', name].map((key) => ({ kind: greet, data: { name }, key }));
      made = await millrace.enqueueAll(jobs, { transaction });
    });
    expect(made).toEqual([
      { id: before.id, created: false },
      { id: expect.stringMatching(/^pg-\d+$/) as string, created: true },
    ]);
    expect(await millrace.get(made[1]?.id ?? '')).toMatchObject({ key: name, data: { name } });
  });
}
