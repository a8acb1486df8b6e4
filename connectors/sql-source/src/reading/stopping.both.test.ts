import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  KINDS,
  type TestPostgres,
  type TestSource,
  collect,
  openTestPostgres,
  openTestSource,
  reading,
  refused,
  untilNoSessions,
} from '../../test/sources.ts';
import { isLong } from '../../../../scripts/need.mjs';
import type { Reading } from '../index.ts';

/** For ever, with nothing to show. */
const COMPUTES = 'SELECT count(*) FROM hours a, hours b, hours c, hours d';
/** For ever, row after row. */
const WRITES = 'SELECT a.id FROM hours a, hours b, hours c, hours d';
const CUT = { bytes: 100_000, rows: 1 };
const TABLE = 'CREATE TABLE hours AS SELECT g AS id FROM generate_series(1, 5000) g';

type Place = (
  reading: Reading,
  stop: () => void,
  untilBusy: () => Promise<void>,
) => Promise<unknown>;

/** Where a reading can be when it is stopped, and what tells the caller. */
const PLACES: Record<string, Place> = {
  'a statement that computes': async ({ describe: check, rows }, stop, untilBusy) => {
    await check(COMPUTES);
    const answer = rows(COMPUTES);
    void untilBusy().then(stop);
    return answer;
  },
  'a COPY before its first row': async ({ copy }, stop, untilBusy) => {
    const batches = collect(copy(COMPUTES, CUT));
    void untilBusy().then(stop);
    return batches;
  },
  'a COPY that is read': async ({ copy }, stop) => {
    for await (const batch of copy(WRITES, CUT)) if (batch.rows > 0) stop();
  },
  'a COPY whose reader is elsewhere': async ({ copy }, stop) => {
    const batches = copy(WRITES, CUT)[Symbol.asyncIterator]();
    await batches.next();
    // By then two more wait, and the source is paused.
    await turns();
    stop();
    while (!(await batches.next()).done);
  },
  'between two statements': async ({ rows }, stop) => {
    await rows('SELECT 1');
    stop();
    return rows('SELECT 1');
  },
};

async function turns(): Promise<void> {
  for (let turn = 0; turn < 1_000; turn++) await new Promise(setImmediate);
}

describe.each(KINDS.filter((kind) => (kind === 'embedded') === isLong))('%s', (kind) => {
  let opened: TestSource;
  beforeAll(async () => {
    opened = await openTestSource(kind);
    await opened.script(TABLE);
  });
  afterAll(() => opened.drop());

  const worksAgain = (): Promise<void> =>
    reading(opened.source, async ({ rows }) => {
      expect(await rows('SELECT count(*) FROM hours')).toEqual([['5000']]);
    });

  test.each(Object.keys(PLACES))('stopped by its signal: %s', async (place) => {
    const control = new AbortController();
    const why = new Error('The job was cancelled.');
    await reading(
      opened.source,
      async (begun) => {
        const stop = (): void => control.abort(why);
        const thrown = await refused(PLACES[place]?.(begun, stop, turns) ?? Promise.resolve());
        expect(thrown).toMatchObject({ code: 'aborted', retryable: true, cause: why });
      },
      { signal: control.signal },
    );
    await worksAgain();
  });

  test('stopped before it begins', async () => {
    const begin = opened.source.begin({ statementTimeoutMs: 1, signal: AbortSignal.abort() });
    expect(await refused(begin)).toMatchObject({ code: 'aborted' });
    await worksAgain();
  });

  test('ended while a statement runs', async () => {
    const begun = await opened.source.begin({ statementTimeoutMs: 60_000 });
    const answer = refused(begun.rows(COMPUTES));
    setImmediate(() => void begun.end());
    expect(await answer).toMatchObject({ code: 'closed' });
    await begun.end();
    await worksAgain();
  });

  test('a statement that takes too long', async () => {
    const thrown = await reading(opened.source, ({ rows }) => refused(rows(COMPUTES)), {
      statementTimeoutMs: 300,
    });
    // A server ends it itself; the embedded one has no timers.
    expect(thrown).toMatchObject({
      code: kind === 'postgres' ? '57014' : 'no_progress',
      retryable: true,
    });
    await worksAgain();
  });

  test('a COPY without rows', async () => {
    const thrown = await reading(
      opened.source,
      ({ copy }) => refused(collect(copy(COMPUTES, CUT))),
      { statementTimeoutMs: 300 },
    );
    expect(thrown).toMatchObject({ code: 'no_progress', retryable: true });
    await worksAgain();
  });

  test('a COPY that takes longer than a statement may, row after row', async () => {
    await reading(
      opened.source,
      async ({ copy }) => {
        let rows = 0;
        const started = performance.now();
        for await (const batch of copy(WRITES, CUT)) {
          rows += batch.rows;
          if (performance.now() - started > 1_000) break;
        }
        expect(rows).toBeGreaterThan(0);
      },
      { statementTimeoutMs: 300 },
    );
    await worksAgain();
  });
});

if (!isLong)
  describe('a server', () => {
    let opened: TestPostgres;
    beforeAll(async () => {
      opened = await openTestPostgres();
      await opened.script(TABLE);
    });
    afterAll(() => opened.drop());

    async function untilBusy(): Promise<void> {
      const busy = `SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%count(*) FROM hours a%'
                     AND pid <> pg_backend_pid() AND query NOT LIKE '%AS report'`;
      while ((await opened.admin.query(busy)).rowCount === 0);
    }

    test.each(Object.keys(PLACES))('has no session left of: %s', async (place) => {
      const control = new AbortController();
      const begun = await opened.source.begin({
        statementTimeoutMs: 60_000,
        signal: control.signal,
      });
      const stop = (): void => control.abort();
      await refused(PLACES[place]?.(begun, stop, untilBusy) ?? Promise.resolve());
      await begun.end();
      await untilNoSessions(opened);
    });

    test('waits for a reader who is elsewhere, and goes on for him', async () => {
      await reading(opened.source, async ({ copy }) => {
        const batches = copy(WRITES, CUT)[Symbol.asyncIterator]();
        await batches.next();
        while (!(await opened.sessions()).includes('ClientWrite'));
        for (let batch = 0; batch < 50; batch++)
          expect(await batches.next()).toMatchObject({ done: false });
        await batches.return?.();
      });
      await untilNoSessions(opened);
    });

    test('closed: readings under way end', async () => {
      const other = await openTestPostgres();
      const begun = await other.source.begin({ statementTimeoutMs: 60_000 });
      const answer = refused(
        begun.rows('SELECT count(*) FROM pg_class a, pg_class b, pg_class c, pg_class d'),
      );
      await other.source.close();
      expect(await answer).toMatchObject({ code: 'closed' });
      await untilNoSessions(other);
      expect(await refused(other.source.begin({ statementTimeoutMs: 1 }))).toMatchObject({
        code: 'closed',
      });
      await other.drop();
    });
  });
