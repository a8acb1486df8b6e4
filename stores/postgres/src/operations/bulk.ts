import type { JobId } from '@millrace/engine';
import { type Statement, numbers, texts } from '../database.ts';
import type { Bulk, BulkLog, NewBulk } from '../service.ts';
import type { Context } from './context.ts';
import { readCursor } from './cursor.ts';

/** How long a frozen action and what it has changed are kept. */
export const BULK_KEPT_DAYS = 7;

const COLUMNS = `
  id, date_part('epoch', at) * 1000 AS at, tenant, submitter, array_to_json(tenants)::text AS tenants, owner, asked::text,
  frozen::text, array_to_json(ids)::text AS ids, job, undone_by, result::text`;

// Old ones are removed with the next one that is frozen.
// $1 tenant $2 submitter $3 tenants[] $4 owner $5 asked $6 frozen $7 ids[] $8 at, ms
const ADD: Statement = {
  name: 'millrace_add_bulk',
  text: `
WITH old AS (
  DELETE FROM millrace.bulk WHERE at < millrace.clock() - interval '${BULK_KEPT_DAYS} days'
)
INSERT INTO millrace.bulk (at, tenant, submitter, tenants, owner, asked, frozen, ids)
VALUES (to_timestamp($8::float8 / 1000), $1, $2, $3::text::text[], $4, $5::text::jsonb, $6::text::jsonb, $7::text::text[])
RETURNING ${COLUMNS}`,
};
const KEPT = `at >= millrace.clock() - interval '${BULK_KEPT_DAYS} days'`;
// $1 id
const GET: Statement = {
  name: 'millrace_get_bulk',
  text: `SELECT ${COLUMNS} FROM millrace.bulk WHERE id = $1 AND ${KEPT}`,
};
// Actions of a few days, made by people: few. $1 below id $2 limit $3 tenants[] of the caller; null: of any $4 submitter; null: of anybody
const LIST: Statement = {
  name: 'millrace_list_bulk',
  text: `
SELECT ${COLUMNS} FROM millrace.bulk
 WHERE id < $1 AND ${KEPT}
   AND ($3::text IS NULL OR tenant = ANY ($3::text::text[]) AND tenants <@ $3::text::text[])
   AND ($4::text IS NULL OR submitter = $4)
 ORDER BY id DESC LIMIT $2::int`,
};
// The first one counts. $1 id $2 job
const START: Statement = {
  name: 'millrace_start_bulk',
  text: `UPDATE millrace.bulk SET job = coalesce(job, $2) WHERE id = $1 RETURNING ${COLUMNS}`,
};
const UNDO: Statement = {
  name: 'millrace_undo_bulk',
  text: `UPDATE millrace.bulk SET undone_by = coalesce(undone_by, $2) WHERE id = $1 RETURNING ${COLUMNS}`,
};
// $1 id $2 result
const TELL: Statement = {
  name: 'millrace_tell_bulk',
  text: `UPDATE millrace.bulk SET result = $2::text::jsonb WHERE id = $1`,
};
// $1 bulk $2 id[] $3 before[]
const CHANGE: Statement = {
  name: 'millrace_add_bulk_changes',
  text: `
INSERT INTO millrace.bulk_change (bulk, id, before)
SELECT b.id, u.id, u.before FROM unnest($2::text::text[], $3::text::smallint[]) AS u(id, before), millrace.bulk b WHERE b.id = $1
ON CONFLICT DO NOTHING`,
};
// $1 bulk $2 id[]
const FORGET: Statement = {
  name: 'millrace_forget_bulk_changes',
  text: `DELETE FROM millrace.bulk_change WHERE bulk = $1 AND id = ANY ($2::text::text[])`,
};
// $1 bulk $2 after id $3 limit
const CHANGES: Statement = {
  name: 'millrace_bulk_changes',
  text: `SELECT id, before FROM millrace.bulk_change WHERE bulk = $1 AND id > $2 ORDER BY id LIMIT $3::int`,
};

type Row = {
  id: number;
  at: number;
  tenant: string;
  submitter: string | null;
  tenants: string | null;
  owner: string | null;
  asked: string;
  frozen: string;
  ids: string | null;
  job: string | null;
  undone_by: string | null;
  result: string | null;
};

export function createBulkLog({ database }: Context): BulkLog {
  async function one(statement: Statement, id: string, ...more: string[]): Promise<Bulk | null> {
    const number = numberOf(id);
    if (number === null) return null;
    const [row] = await database.query<Row>(statement, [number, ...more]);
    return row === undefined ? null : bulkOf(row);
  }

  return {
    async add(bulk: NewBulk) {
      const { tenant, submitter, tenants, owner, asked, frozen, ids, at } = bulk;
      const [row] = await database.query<Row>(ADD, [
        tenant,
        submitter,
        tenants === null ? null : texts(tenants),
        owner,
        asked,
        frozen,
        ids === null ? null : texts(ids),
        at,
      ]);
      if (row === undefined) throw new Error('a bulk action was not written');
      return bulkOf(row);
    },
    get: ({ id }) => one(GET, id),
    async list({ limit, cursor, tenants, submitter }) {
      const below = cursor === undefined ? Number.MAX_SAFE_INTEGER : readCursor(cursor);
      const rows = await database.query<Row>(LIST, [
        below,
        limit + 1,
        tenants === null ? null : texts(tenants),
        submitter,
      ]);
      const bulk = rows.slice(0, limit).map(bulkOf);
      return { bulk, next: rows.length > limit ? String(rows[limit - 1]?.id) : null };
    },
    start: ({ id, job }) => one(START, id, job),
    undo: ({ id, job }) => one(UNDO, id, job),
    async tell({ id, result }) {
      await one(TELL, id, result);
    },
    async change({ id, changes }) {
      const [of, before] = [changes.map((each) => each.id), changes.map((each) => each.before)];
      await database.query(CHANGE, [numberOf(id), texts(of), numbers(before)]);
    },
    async forget({ id, jobs }) {
      await database.query(FORGET, [numberOf(id), texts(jobs)]);
    },
    changes: ({ id, after, limit }) =>
      database.query<{ id: JobId; before: number | null }>(CHANGES, [numberOf(id), after, limit]),
  };
}

function numberOf(id: string): number | null {
  const [, digits] = /^bulk-([1-9]\d{0,14})$/.exec(id) ?? [];
  return digits === undefined ? null : Number(digits);
}

function bulkOf(row: Row): Bulk {
  return {
    id: `bulk-${row.id}`,
    at: Math.round(row.at),
    tenant: row.tenant,
    submitter: row.submitter,
    tenants: row.tenants === null ? null : (JSON.parse(row.tenants) as string[]),
    owner: row.owner,
    asked: row.asked,
    frozen: row.frozen,
    ids: row.ids === null ? null : (JSON.parse(row.ids) as string[]),
    job: row.job,
    undoneBy: row.undone_by,
    result: row.result,
  };
}
