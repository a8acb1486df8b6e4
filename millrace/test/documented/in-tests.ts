import { PGlite } from '@electric-sql/pglite';
import { createMillrace } from 'millrace';
import { expect, it } from 'vitest';
import { confirmOrder } from './orders.ts';

it('confirms an order', async () => {
  const pglite = await PGlite.create(); // nothing to install, nothing left behind
  const millrace = await createMillrace({
    database: { pglite },
    jobs: [confirmOrder],
    log: false,
  });
  await millrace.start();
  const { id } = await millrace.enqueue(confirmOrder, { article: 'chair' });
  expect(await millrace.finished(id)).toMatchObject({ result: 'The chair is on its way.' });
  await millrace.stop();
  await pglite.close();
});
