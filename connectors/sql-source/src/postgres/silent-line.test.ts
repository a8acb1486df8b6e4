import { afterAll, beforeAll, expect, test } from 'vitest';
import { testServer } from '../../../../stores/postgres/test/databases.ts';
import { type Line, startLine } from '../../../../stores/postgres/test/line.ts';
import {
  type TestPostgres,
  openTestPostgres,
  reading,
  refused,
  untilNoSessions,
} from '../../test/sources.ts';
import { type SqlSource, openPostgresSource } from '../index.ts';

/** A line through which nothing comes any more and that nobody closes, as when a firewall has forgotten it. */

let direct: TestPostgres;
let line: Line;
let source: SqlSource;
beforeAll(async () => {
  direct = await openTestPostgres();
  await direct.script('CREATE TABLE hours AS SELECT g AS id FROM generate_series(1, 5000) g');
  line = await startLine(testServer());
  source = openPostgresSource({
    connection: { connectionString: line.through(direct.url) },
    connectWithinMs: 2_000,
  });
});
afterAll(async () => {
  await source.close();
  // Until then the server knows nothing of clients that have left.
  await line.close();
  await untilNoSessions(direct);
  await direct.drop();
});

test('in the middle of a COPY', async () => {
  await reading(
    source,
    async ({ copy }) => {
      const sql = 'SELECT a.id FROM hours a, hours b';
      const thrown = await refused(
        (async () => {
          for await (const batch of copy(sql, { bytes: 10_000, rows: 1 }))
            if (batch.rows > 0) line.silence();
        })(),
      );
      expect(thrown).toMatchObject({ code: 'no_progress', retryable: true });
    },
    { statementTimeoutMs: 500 },
  );
  // New connections work, and so does that which cancels: the server waits for its client, and computes no more.
  while ((await direct.sessions()).some((waits) => waits !== 'ClientRead'));
});

test('instead of an answer', async () => {
  await reading(
    source,
    async ({ rows }) => {
      await rows('SELECT 1');
      line.silence();
      expect(await refused(rows('SELECT 1'))).toMatchObject({
        code: 'no_progress',
        retryable: true,
      });
    },
    { statementTimeoutMs: 500 },
  );
});

test('instead of a goodbye', async () => {
  const begun = await source.begin({ statementTimeoutMs: 500 });
  line.silence();
  await begun.end();
});

test('while connecting', async () => {
  line.watch();
  const happened = line.cutAt({ question: 1, when: 'unanswered', how: 'silence' });
  expect(await refused(source.check())).toMatchObject({ retryable: true });
  await happened;
});
