import { StoreUnavailable } from '@millrace/engine';
import { beforeEach, describe, expect, it } from 'vitest';
import { meeting } from '../test/meeting.ts';
import type { Session, Statement } from './database.ts';
import { openPg } from './pg.ts';

/** Transactions that Postgres undoes because of others beside them: they run again, and nobody is told. */

const met = meeting();
const { untilWaiting, atEnd } = met;

describe.each(['40001', '40P01'])('what ends with %s', (code) => {
  const ASK: Statement = { name: '', text: 'SELECT undone($1::int) AS nth' };

  /** Fails as often as it is told to, over all transactions: a sequence is not undone. */
  beforeEach(() =>
    met.other.query(`
      CREATE SEQUENCE tries;
      CREATE FUNCTION undone(times int) RETURNS int LANGUAGE plpgsql AS $$
      DECLARE nth int := nextval('tries');
      BEGIN
        IF nth <= times THEN RAISE 'undone' USING ERRCODE = '${code}'; END IF;
        RETURN nth;
      END $$`),
  );

  async function ask(session: Session, times: number): Promise<number | undefined> {
    return (await session.query<{ nth: number }>(ASK, [times]))[0]?.nth;
  }

  it.each([
    ['a statement', false],
    ['a transaction', true],
  ])('%s runs again, a few times', async (_, inTransaction) => {
    const database = openPg({ url: met.url, poolSize: 1, answerWithinMs: 30_000 });
    atEnd(() => database.close());
    const run = (times: number) =>
      inTransaction ? database.transaction((inside) => ask(inside, times)) : ask(database, times);
    expect(await run(4)).toBe(5);
    await met.other.query('ALTER SEQUENCE tries RESTART');
    await expect(run(100)).rejects.toBeInstanceOf(StoreUnavailable);
    expect((await met.other.query(`SELECT nextval('tries')::int AS nth`)).rows).toEqual([
      { nth: 6 },
    ]);
  });

  it('in a transaction of somebody else does not: it is gone as a whole', async () => {
    const database = openPg({ url: met.url, poolSize: 1, answerWithinMs: 30_000 });
    atEnd(() => database.close());
    await met.other.query('BEGIN');
    // Its own code, which whoever has begun it looks for to run it again.
    await expect(ask(database.join(met.other), 1)).rejects.toMatchObject({ code });
    await met.other.query('ROLLBACK');
  });
});

it('a transaction that waits in a circle with another is undone and runs again', async () => {
  const optioned = new URL(met.url);
  optioned.searchParams.set('options', '-c deadlock_timeout=10');
  const database = openPg({ url: optioned.href, poolSize: 1, answerWithinMs: 30_000 });
  atEnd(() => database.close());
  await met.other.query('CREATE TABLE spots AS SELECT n FROM generate_series(1, 2) n');
  const LOCK: Statement = { name: '', text: 'SELECT n FROM spots WHERE n = $1 FOR UPDATE' };
  // Who has waited for its own deadlock_timeout looks for a circle, and is undone: never `other`.
  await met.other.query(`SET deadlock_timeout = '1h'`);
  await met.other.query('BEGIN; SELECT FROM spots WHERE n = 2 FOR UPDATE');

  let runs = 0;
  let othersTurn: Promise<unknown> = Promise.resolve();
  await database.transaction(async (session) => {
    runs += 1;
    await session.query(LOCK, [1]);
    if (runs === 1) {
      othersTurn = met.other.query('SELECT FROM spots WHERE n = 1 FOR UPDATE; COMMIT');
      await untilWaiting();
    }
    await session.query(LOCK, [2]);
  });
  await othersTurn;
  expect(runs).toBe(2);
});
