import type { Statement } from '../database.ts';
import type { Saved, SavedThings } from '../service.ts';
import type { Context } from './context.ts';

/** The limit per person, tenant and sort: more than anybody reads. */
export const MOST_SAVED = 100;

const COLUMNS = `name, value, date_part('epoch', updated_at) * 1000 AS updated_at`;

// $1 owner $2 tenant $3 what
const LIST: Statement = {
  name: 'millrace_list_saved',
  text: `SELECT ${COLUMNS} FROM millrace.saved WHERE owner = $1 AND tenant = $2 AND what = $3 ORDER BY name`,
};
// Two at the same moment may make one more than the most: nothing breaks of it.
// $1 owner $2 tenant $3 what $4 name $5 value
const PUT: Statement = {
  name: 'millrace_put_saved',
  text: `
WITH own AS MATERIALIZED (SELECT name FROM millrace.saved WHERE owner = $1 AND tenant = $2 AND what = $3)
INSERT INTO millrace.saved (owner, tenant, what, name, value, updated_at)
SELECT $1::text, $2::text, $3::text, $4::text, $5::text, millrace.clock()
 WHERE (SELECT count(*) FROM own) < ${MOST_SAVED} OR EXISTS (SELECT FROM own WHERE name = $4)
ON CONFLICT (owner, tenant, what, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at
RETURNING ${COLUMNS}, xmax = 0 AS created`,
};
// $1 owner $2 tenant $3 what $4 name
const REMOVE: Statement = {
  name: 'millrace_remove_saved',
  text: `DELETE FROM millrace.saved WHERE owner = $1 AND tenant = $2 AND what = $3 AND name = $4 RETURNING name`,
};
// A name of one or two characters would be found in every text. $1 subject
const ERASE: Statement = {
  name: 'millrace_erase_saved',
  text: `
DELETE FROM millrace.saved
 WHERE owner = $1 OR (length($1) > 2 AND position(lower($1) IN lower(name || ' ' || value)) > 0) RETURNING name`,
};

type Row = { name: string; value: string; updated_at: number; created: boolean };

export function createSaved({ database }: Context): SavedThings {
  return {
    async list({ owner, tenant, what }) {
      return (await database.query<Row>(LIST, [owner, tenant, what])).map(savedOf);
    },
    async put({ owner, tenant, what, name, value }) {
      const [row] = await database.query<Row>(PUT, [owner, tenant, what, name, value]);
      return row === undefined ? null : { saved: savedOf(row), created: row.created };
    },
    async remove({ owner, tenant, what, name }) {
      return (await database.query(REMOVE, [owner, tenant, what, name])).length > 0;
    },
    async erase({ subject }) {
      return (await database.query(ERASE, [subject])).length;
    },
  };
}

function savedOf({ name, value, updated_at }: Row): Saved {
  return { name, value, updatedAt: Math.round(updated_at) };
}
