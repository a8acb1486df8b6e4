import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type TestEmbedded, openTestEmbedded, reading, refused } from '../../test/sources.ts';
import { createDatabase, lockFolder } from '../../../../stores/postgres/src/index.ts';
import { SourceUnavailable, openEmbeddedSource } from '../index.ts';
import { inFast, inLong } from '../../../../scripts/suite.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
setFlagsFromString('--no-expose-gc');

/** Of buffers. When Node collects what nobody uses depends on its version. */
function bytesInUse(): number {
  collect();
  return process.memoryUsage().external;
}

/** For ever, with nothing to show. */
const COMPUTES = 'SELECT count(*) FROM pg_class a, pg_class b, pg_class c, pg_class d';

describe('the embedded source', () => {
  let opened: TestEmbedded;
  beforeAll(async () => {
    opened = await openTestEmbedded();
    await opened.script('CREATE TABLE hours AS SELECT g AS id FROM generate_series(1, 5000) g');
  });
  afterAll(() => opened.drop());

  inFast('has one session: readings and changes come in turn', async () => {
    const order: string[] = [];
    const turn = (name: string) =>
      reading(opened.source, async ({ rows }) => {
        order.push(`${name} begins`);
        await rows('SELECT 1');
        order.push(`${name} ends`);
      });
    const change = opened.script('SELECT 1').then(() => order.push('changed'));
    await Promise.all([turn('a'), turn('b'), change, turn('c')]);
    expect(order.filter((each) => each !== 'changed')).toEqual(
      ['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]),
    );
  });

  inFast('whoever waits for his turn can be stopped, and the next one has it', async () => {
    const control = new AbortController();
    const first = await opened.source.begin({ statementTimeoutMs: 1_000 });
    const stopped = refused(
      opened.source.begin({ statementTimeoutMs: 1_000, signal: control.signal }),
    );
    const next = reading(opened.source, ({ rows }) => rows('SELECT 1'));
    control.abort();
    expect(await stopped).toMatchObject({ code: 'aborted' });
    // A check does not wait for a report to end.
    await opened.source.check();
    await first.end();
    expect(await next).toEqual([['1']]);
  });

  inFast('a change that fails changes nothing, and says where', async () => {
    const sql = 'INSERT INTO hours VALUES (0); INSERT INTO nowhere VALUES (1)';
    expect(await refused(opened.script(sql))).toMatchObject({ code: '42P01', retryable: false });
    const open = 'BEGIN; INSERT INTO hours VALUES (0)';
    await opened.script(open);
    await reading(opened.source, async ({ rows }) => {
      expect(await rows('SELECT count(*) FROM hours')).toEqual([['5000']]);
    });
  });

  inLong('a COPY of any size takes no more memory than its reader', async () => {
    const sql = "SELECT repeat('x', 100000) FROM hours WHERE id <= 1000";
    const asleep = new Int32Array(new SharedArrayBuffer(4));
    const before = bytesInUse();
    let most = 0;
    let bytes = 0;
    let batches = 0;
    await reading(opened.source, async ({ copy }) => {
      for await (const batch of copy(sql, { bytes: 1, rows: 1 })) {
        bytes += batch.bytes.length;
        batches += 1;
        // A reader who is slower than the database.
        Atomics.wait(asleep, 0, 0, 3);
        await new Promise(setImmediate);
        if (batches % 50 === 0) most = Math.max(most, bytesInUse() - before);
      }
    });
    expect(bytes).toBe(1_000 * 100_001);
    expect(most).toBeLessThan(50_000_000);
  });

  inFast('its folder is not for two', async () => {
    const second = openEmbeddedSource({
      folder: opened.folder,
      lock: lockFolder,
      create: createDatabase,
    });
    const thrown = await refused(second.check());
    expect(thrown).toBeInstanceOf(SourceUnavailable);
    expect(thrown.message).toContain(`in use by process ${process.pid}`);
    await second.close();
  });
});

inFast(
  'keeps what it has, gives the folder free when closed, and opens what a killed thread left',
  async () => {
    const { source: first, folder, drop } = await openTestEmbedded();
    await first.change('CREATE TABLE kept AS SELECT 1 AS id');
    // Ended with its thread, like a process that is killed: nothing is written to the disk any more.
    const killed = await first.begin({ statementTimeoutMs: 60_000 });
    await killed.describe(COMPUTES);
    const answer = refused(killed.rows(COMPUTES));
    await killed.end();
    expect(await answer).toMatchObject({ code: 'closed' });
    await first.change('INSERT INTO kept VALUES (2)');
    await first.close();
    expect(await refused(first.begin({ statementTimeoutMs: 1 }))).toMatchObject({ code: 'closed' });

    const second = openEmbeddedSource({ folder, lock: lockFolder, create: createDatabase });
    await reading(second, async ({ rows }) => {
      expect(await rows('SELECT count(*) FROM kept')).toEqual([['2']]);
    });
    await second.close();
    await drop();
  },
);

inFast('closing ends what runs', async () => {
  const opened = await openTestEmbedded();
  const begun = await opened.source.begin({ statementTimeoutMs: 60_000 });
  const answer = refused(begun.rows(COMPUTES));
  await opened.drop();
  expect(await answer).toMatchObject({ code: 'aborted' });
});

inFast('a folder that cannot be one says so', async () => {
  const opened = await openTestEmbedded();
  const file = join(opened.folder, 'file');
  writeFileSync(file, '');
  const source = openEmbeddedSource({
    folder: join(file, 'sample'),
    lock: lockFolder,
    create: createDatabase,
  });
  const thrown = await refused(source.check());
  expect(thrown).toBeInstanceOf(SourceUnavailable);
  expect(thrown.message).toMatch(/cannot be written to \((ENOTDIR|EEXIST)\)/);
  await source.close();
  await opened.drop();
});
