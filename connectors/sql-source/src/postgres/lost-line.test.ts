import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testServer } from '../../../../stores/postgres/test/databases.ts';
import { type Line, startLine } from '../../../../stores/postgres/test/line.ts';
import {
  type TestPostgres,
  collect,
  openTestPostgres,
  reading,
  refused,
  untilNoSessions,
} from '../../test/sources.ts';
import { type Reading, SourceUnavailable, type SqlSource, openPostgresSource } from '../index.ts';

/** Below the driver: a line that is cut at every question of a reading, and in the middle of an answer. */

let direct: TestPostgres;
let line: Line;
let source: SqlSource;
const uncaught: Error[] = [];
const note = (error: Error): void => void uncaught.push(error);

beforeAll(async () => {
  process.on('uncaughtExceptionMonitor', note);
  direct = await openTestPostgres();
  await direct.script('CREATE TABLE hours AS SELECT g AS id FROM generate_series(1, 5000) g');
  line = await startLine(testServer());
  source = openPostgresSource({ connection: { connectionString: line.through(direct.url) } });
});
afterAll(async () => {
  await source.close();
  await line.close();
  await direct.drop();
  process.off('uncaughtExceptionMonitor', note);
  // Without a listener, a client that breaks ends the process.
  expect(uncaught).toEqual([]);
});

let readings = 0;

async function everything({ set, describe: check, explain, rows, copy }: Reading): Promise<string> {
  await set({ from: '4000' });
  // Each reading has SQL of its own: what the parse tree says is asked once for the same one.
  readings += 1;
  const sql = `SELECT id FROM hours WHERE id > current_setting('rp.from')::int AND ${readings} > 0 ORDER BY id`;
  await check(sql);
  await explain(sql);
  await rows(sql);
  const batches = await collect(copy(sql, { bytes: 1, rows: 100 }));
  return batches.map(({ bytes }) => bytes.toString()).join('');
}

describe.each(['reset', 'close'] as const)('%s', (how) => {
  test.each(['unasked', 'unanswered'] as const)('at every question, %s', async (when) => {
    const { asked } = line.watch();
    const expected = await reading(source, everything);
    const questions = [...asked()];
    expect(questions.length).toBeGreaterThan(8);
    for (const [index, text] of questions.entries()) {
      line.watch();
      const happened = line.cutAt({ question: index + 1, when, how });
      const thrown = await refused(reading(source, everything));
      await happened;
      expect(thrown, text).toBeInstanceOf(SourceUnavailable);
      expect(thrown.retryable, text).toBe(true);
      await untilNoSessions(direct);
    }
    expect(await reading(source, everything)).toBe(expected);
  });

  test('in the middle of a COPY', async () => {
    await reading(source, async ({ copy }) => {
      const sql = 'SELECT a.id FROM hours a, hours b';
      const thrown = await refused(
        (async () => {
          for await (const batch of copy(sql, { bytes: 10_000, rows: 1 }))
            if (batch.rows > 0) line.cutAll(how);
        })(),
      );
      expect(thrown).toBeInstanceOf(SourceUnavailable);
    });
    await untilNoSessions(direct);
  });
});

test('a statement that is stopped is cancelled by a second connection', async () => {
  const control = new AbortController();
  await reading(
    source,
    async ({ rows, describe: check }) => {
      const sql = 'SELECT count(*) FROM hours a, hours b, hours c';
      await check(sql);
      const { asked } = line.watch();
      const answer = refused(rows(sql));
      while (asked().length === 0) await new Promise(setImmediate);
      control.abort();
      expect(await answer).toMatchObject({ code: 'aborted' });
      // The line takes it for a startup, which has no letter either.
      while (!asked().includes('startup')) await new Promise(setImmediate);
    },
    { signal: control.signal },
  );
  await untilNoSessions(direct);
});
