import type { Statement } from '@millrace/store-postgres';
import { ImportRefused, importer } from '@millrace/workload-kit';
import { z } from 'zod';
import { snippetName } from '../contract/snippets.ts';
import { sql } from '../contract/values.ts';
import type { QueriesConfig } from '../settings.ts';

const snippetLine = z.strictObject({
  name: snippetName,
  tenant: z.string().max(100).default(''),
  user: z.string().max(200).default(''),
  sql,
  shared: z.boolean().default(false),
});

// What its owner has saved here since then stays. $1 tenant $2 name $3 user $4 sql $5 shared
const ADD: Statement = {
  name: 'queries_import_snippet',
  text: `
INSERT INTO millrace.query_snippets (tenant_id, name, user_id, sql_text, shared, updated_at)
VALUES ($1, $2, $3, $4, $5, millrace.clock())
ON CONFLICT DO NOTHING RETURNING name`,
};

// $1 tenant $2 name $3 user
const IS_THERE: Statement = {
  name: 'queries_imported_snippet',
  text: `SELECT name FROM millrace.query_snippets WHERE tenant_id = $1 AND name = $2 AND user_id = $3`,
};

export const snippetImport = importer<z.infer<typeof snippetLine>, QueriesConfig>(
  snippetLine,
  async (session, { tenant, user, name, sql: text, shared }) => {
    const added = await session.query(ADD, [tenant, name, user, text, shared]);
    if (added.length > 0) return { outcome: 'added', as: name };
    const there = await session.query(IS_THERE, [tenant, name, user]);
    if (there.length > 0) return { outcome: 'there', as: name };
    throw new ImportRefused(
      `Somebody else shares a snippet "${name}" already. Give this one another name.`,
    );
  },
);
