import { type Database, type Param, type Statement, texts } from '@millrace/store-postgres';
import { type Page, type PageParams, badCursor, page, pageLimit } from '@millrace/workload-kit';
import { QueryError } from '../errors.ts';

/** SQL under a name: of one user of a tenant, who may share it with the others. */
export interface Snippet {
  readonly name: string;
  readonly sqlText: string;
  readonly shared: boolean;
  readonly tenantId: string;
  readonly userId: string;
  readonly updatedAt: number;
}

export interface Whose {
  readonly tenantId: string;
  readonly userId: string;
}

export interface Snippets {
  /** The user's own, and what others of these tenants share; by name. */
  list(
    params: PageParams & {
      readonly tenants: readonly string[] | 'all';
      readonly userId: string;
    },
  ): Promise<Page<Snippet>>;
  /** The user's own, or else the shared one of this name. */
  get(name: string, whose: Whose): Promise<Snippet>;
  save(
    snippet: Whose & Pick<Snippet, 'name' | 'sqlText' | 'shared'>,
  ): Promise<{ readonly snippet: Snippet; readonly created: boolean }>;
  /** `anyShared`: where the user has none of this name, the shared one of somebody else. */
  remove(name: string, whose: Whose & { readonly anyShared: boolean }): Promise<void>;
}

type SnippetRow = {
  name: string;
  sql_text: string;
  shared: boolean;
  tenant_id: string;
  user_id: string;
  updated_at: number;
  created: boolean;
};

const COLUMNS = `name, sql_text, shared, tenant_id, user_id, date_part('epoch', updated_at) * 1000 AS updated_at`;

// $1 tenant and name, as one text
const LOCK: Statement = {
  name: 'queries_lock_snippet',
  text: `SELECT pg_advisory_xact_lock(hashtext('millrace.queries.snippet'), hashtext($1))`,
};

// $1 tenant $2 name $3 user
const TAKEN: Statement = {
  name: 'queries_snippet_taken',
  text: `SELECT user_id FROM millrace.query_snippets WHERE tenant_id = $1 AND name = $2 AND shared AND user_id <> $3`,
};

// $1 tenant $2 name $3 user $4 sql $5 shared
const SAVE: Statement = {
  name: 'queries_save_snippet',
  text: `
INSERT INTO millrace.query_snippets (tenant_id, name, user_id, sql_text, shared, updated_at)
VALUES ($1, $2, $3, $4, $5, millrace.clock())
ON CONFLICT (name, tenant_id, user_id)
DO UPDATE SET sql_text = excluded.sql_text, shared = excluded.shared, updated_at = excluded.updated_at
RETURNING ${COLUMNS}, xmax = 0 AS created`,
};

// $1 tenant $2 name $3 user
const GET: Statement = {
  name: 'queries_snippet',
  text: `
SELECT ${COLUMNS}, false AS created FROM millrace.query_snippets
 WHERE tenant_id = $1 AND name = $2 AND (user_id = $3 OR shared) ORDER BY user_id = $3 DESC LIMIT 1`,
};

// $1 tenant $2 name $3 user
const REMOVE: Statement = {
  name: 'queries_remove_snippet',
  text: `DELETE FROM millrace.query_snippets WHERE tenant_id = $1 AND name = $2 AND user_id = $3`,
};

export function createSnippets({ database }: { database: Database }): Snippets {
  async function find(name: string, { tenantId, userId }: Whose): Promise<Snippet | null> {
    const [row] = await database.query<SnippetRow>(GET, [tenantId, name, userId]);
    return row === undefined ? null : snippetOf(row);
  }

  return {
    async list({ tenants, userId, limit: asked, cursor }) {
      const limit = pageLimit({ limit: asked });
      const values: Param[] = [userId, limit + 1];
      const where = ['(user_id = $1 OR shared)'];
      if (tenants !== 'all')
        where.push(`tenant_id = ANY ($${values.push(texts(tenants))}::text::text[])`);
      if (cursor !== undefined) {
        const places = placeOf(cursor).map((value) => `$${values.push(value)}`);
        where.push(`(name, tenant_id, user_id) > (${places.join(', ')})`);
      }
      const text = `
SELECT ${COLUMNS}, false AS created FROM millrace.query_snippets
 WHERE ${where.join(' AND ')} ORDER BY name, tenant_id, user_id LIMIT $2`;
      const rows = await database.query<SnippetRow>({ name: '', text }, values);
      return page(rows.map(snippetOf), limit, cursorOf);
    },
    async get(name, whose) {
      const found = await find(name, whose);
      if (found === null) throw noSnippet(name);
      return found;
    },
    save: ({ tenantId, userId, name, sqlText, shared }) =>
      database.transaction(async (session) => {
        await session.query(LOCK, [`${tenantId}\n${name}`]);
        const [other] = shared
          ? await session.query<{ user_id: string }>(TAKEN, [tenantId, name, userId])
          : [];
        if (other !== undefined)
          throw new QueryError(
            'snippet_name_taken',
            `${other.user_id} shares a snippet "${name}" already.`,
          );
        const [row] = await session.query<SnippetRow>(SAVE, [
          tenantId,
          name,
          userId,
          sqlText,
          shared,
        ]);
        if (row === undefined) throw new Error('The database kept no snippet and gave no reason.');
        return { snippet: snippetOf(row), created: row.created };
      }),
    async remove(name, { anyShared, ...whose }) {
      const found = await find(name, whose);
      if (found === null || (found.userId !== whose.userId && !anyShared)) throw noSnippet(name);
      await database.query(REMOVE, [whose.tenantId, name, found.userId]);
    },
  };
}

function noSnippet(name: string): QueryError {
  return new QueryError('snippet_not_found', `There is no snippet "${name}".`);
}

function snippetOf(row: SnippetRow): Snippet {
  return {
    name: row.name,
    sqlText: row.sql_text,
    shared: row.shared,
    tenantId: row.tenant_id,
    userId: row.user_id,
    updatedAt: Math.round(row.updated_at),
  };
}

function cursorOf({ name, tenantId, userId }: Snippet): string {
  return Buffer.from(JSON.stringify([name, tenantId, userId])).toString('base64url');
}

function placeOf(cursor: string): string[] {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(place) && place.length === 3 && place.every(isText)) return place;
  } catch {
    // Answered below.
  }
  throw badCursor();
}

/** No database keeps a NUL character. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\u0000') && value.isWellFormed();
}
