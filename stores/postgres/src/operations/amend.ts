import type { AmendPart, JobId } from '@millrace/engine';
import type { Statement } from '../database.ts';
import type { Context } from './context.ts';
import { WITH_GONE } from './prune.ts';
import { TAKE_TURNS, requeue } from './hand.ts';

// An erased job takes no new data: it could be about the same person again. $1 seq
const LOCK_FOR_DATA: Statement = {
  name: 'millrace_lock_for_data',
  text: `SELECT seq FROM millrace.jobs WHERE seq = $1 AND state IN ('FAILED', 'CANCELED') AND erased IS NOT TRUE FOR UPDATE`,
};

// A cursor points into the data that the job had before. $1 seq $2 payload
const SET_DATA: Statement = {
  name: 'millrace_set_data',
  text: `UPDATE millrace.jobs SET payload = $2::text::jsonb, cursor = NULL, progress = NULL WHERE seq = $1`,
};

// As retention removes it. $1 seq
const REMOVE: Statement = {
  name: 'millrace_remove',
  text: `
WITH gone AS (
  DELETE FROM millrace.jobs WHERE seq = $1 AND state IN ('SUCCEEDED', 'FAILED', 'CANCELED')
  RETURNING seq, kind, tenant, state, key
), ${WITH_GONE}
SELECT seq FROM gone`,
};

export function createAmend(context: Context): AmendPart {
  const { database, ids } = context;
  const seqOf = (id: JobId): number => ids.seq(id) ?? -1;
  return {
    retryWith: ({ id, payload }) =>
      database.transaction(async (session) => {
        const seq = seqOf(id);
        await session.query(TAKE_TURNS, []);
        const found = await session.query(LOCK_FOR_DATA, [seq]);
        if (found.length === 0 || (await requeue(session, [seq])).length === 0) return false;
        await session.query(SET_DATA, [seq, payload]);
        return true;
      }),
    remove: ({ id }) =>
      database.transaction(async (session) => {
        await session.query(TAKE_TURNS, []);
        return (await session.query(REMOVE, [seqOf(id)])).length > 0;
      }),
  };
}
