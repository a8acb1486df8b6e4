import { StoreTimedOut, StoreUnavailable } from '@millrace/engine';
import pg from 'pg';
import { expect } from 'vitest';
import type { PgDatabase } from '../src/pg.ts';
import type { Cut, How, Line } from './line.ts';

/** Statements through a line that is cut at every one of its questions to the server in turn. */
export interface Attempted {
  readonly line: Line;
  /** Through the line. */
  readonly database: PgDatabase;
  /** Past the line. */
  readonly admin: pg.Client;
  readonly hows: readonly How[];
  /** At which questions. At all of them, if left out. */
  readonly only?: (text: string) => boolean;
  /** Starts afresh and gives the question. `again`: its answer was lost. */
  prepare(): Promise<(again: boolean) => Promise<unknown>>;
  /** Everything that the question was about, past the line. */
  observe(): Promise<unknown>;
}

/** Wherever the line is cut, asking again comes to what it would have come to at once. Gives what was cut. */
export async function cutEverywhere(attempted: Attempted): Promise<readonly string[]> {
  const { line, database, hows, only = () => true } = attempted;
  const ask = await prepareWarm(attempted);
  const { asked } = line.watch();
  await ask(false);
  const questions = [...asked()];
  const expected = await attempted.observe();
  for (const [index, text] of questions.entries()) {
    if (!only(text)) continue;
    for (const when of ['unasked', 'unanswered'] as const) {
      for (const how of hows) {
        const place = `${how}, ${when}: ${index + 1}. ${text.trim().slice(0, 40)}`;
        expect(await cutOnce(attempted, { question: index + 1, when, how }), place).toEqual(
          expected,
        );
        const { total, idle, waiting } = database.connections();
        expect({ inUse: total - idle, waiting }, place).toEqual({ inUse: 0, waiting: 0 });
      }
    }
  }
  return questions;
}

async function cutOnce(attempted: Attempted, cut: Cut): Promise<unknown> {
  const { line, admin } = attempted;
  const ask = await prepareWarm(attempted);
  line.watch();
  const happened = line.cutAt(cut);
  const isAnswered = await ask(false).then(
    () => true,
    (thrown: unknown) => {
      expect(thrown).toBeInstanceOf(cut.how === 'silence' ? StoreTimedOut : StoreUnavailable);
      return false;
    },
  );
  const process = await happened;
  // A claim that has its jobs gives them, whatever went wrong beside it: then there is nothing to ask again.
  if (isAnswered) await untilGone(admin, process);
  else if (cut.how === 'silence') await untilAnswered(() => ask(true));
  else {
    await untilGone(admin, process);
    await ask(true);
  }
  return attempted.observe();
}

/** The pool has a connection that lies idle, so that every run has the same questions. */
async function prepareWarm({
  prepare,
  database,
}: Attempted): Promise<(again: boolean) => Promise<unknown>> {
  const ask = await prepare();
  await untilAnswered(() => database.script('SELECT 1'));
  return ask;
}

/** A server's process notices a moment later that nobody is there, and holds its locks until then. */
export async function untilGone(admin: pg.Client, process: number): Promise<void> {
  for (;;) {
    const found = await admin.query('SELECT FROM pg_stat_activity WHERE pid = $1', [process]);
    if (found.rowCount === 0) return;
  }
}

/** The locks of whoever went silent are in the way until the server ends that session. */
async function untilAnswered(ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }
}
