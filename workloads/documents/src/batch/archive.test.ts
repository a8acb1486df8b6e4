import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../stores/postgres/test/stores.ts';
import { openWorld, template } from '../../test/world.ts';

test('a ZIP of thousands has all that are left when one of the first was removed', async () => {
  const database = await openTestDatabase('postgres');
  const world = await openWorld(database);
  try {
    const { documents, store } = world;
    await documents.templates.add({ name: 'letter', bytes: template('Hello') });
    const { id, jobId } = await documents.batches.create({ templateId: 'letter' }, { rows: [{}] });
    world.startWorker();
    await world.ended(jobId ?? '');
    // Running thousands takes longer than saying that they ran: all have the first one's file, and the fifth none.
    const text = `
INSERT INTO millrace.document_items (batch, item, line, state, output)
SELECT batch, n, n, 'SUCCEEDED', CASE WHEN n = 5 THEN 999999 ELSE output END
  FROM millrace.document_items, generate_series(2, 2500) n`;
    await store.database.query({ name: '', text }, []);
    expect((await documents.archive(id)).entries).toBe(2_499);
  } finally {
    await world.close();
    await database.drop();
  }
});
