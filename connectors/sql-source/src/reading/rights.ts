import type { Reading } from '../source.ts';

// The rights of the source's role besides reading, one row each.
const RIGHTS = `
SELECT 'is a superuser' FROM pg_catalog.pg_roles WHERE rolname = current_user AND rolsuper
UNION ALL
SELECT 'may ' || granted.does
  FROM (VALUES ('pg_write_server_files', 'write files of the server'),
               ('pg_read_server_files', 'read files of the server'),
               ('pg_execute_server_program', 'run programs of the server'),
               ('pg_write_all_data', 'write every table')) AS granted (role, does)
  JOIN pg_catalog.pg_roles r ON r.rolname = granted.role
 WHERE pg_catalog.pg_has_role(current_user, r.oid, 'MEMBER') AND NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user)
UNION ALL
SELECT 'may call ' || string_agg(DISTINCT f.proname::text, ', ' ORDER BY f.proname::text) || ', which reach beyond the database'
  FROM pg_catalog.pg_proc f
 WHERE f.proname IN ('pg_read_file', 'pg_read_binary_file', 'pg_ls_dir', 'pg_file_write', 'lo_import', 'lo_export',
                     'dblink', 'dblink_exec', 'dblink_connect', 'dblink_open', 'dblink_send_query')
   AND pg_catalog.has_function_privilege(f.oid, 'EXECUTE')
   AND NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user)
HAVING count(*) > 0
UNION ALL
SELECT 'may write ' || count(*) || ' tables, among them ' || min(format('%I.%I', n.nspname, c.relname))
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
   AND pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
   AND NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user)
HAVING count(*) > 0`;

/**
 * The rights that a role for reports should not have, in sentences; none is best. Readings change nothing either way,
 * but a role that could not change anything needs no trust in that.
 */
export async function excessRights(reading: Pick<Reading, 'rows'>): Promise<readonly string[]> {
  const rows = await reading.rows(RIGHTS);
  return rows.map(
    ([right]) =>
      `The role of the source ${right}. Give reports a role of their own that has SELECT and no more.`,
  );
}
