import type { Database, Session, Statement } from './database.ts';
import { SchemaRefused } from './migrations.ts';

const WHO: Statement = {
  name: '',
  text: `
SELECT quote_ident(current_user) AS role, quote_ident(current_database()) AS database,
       (SELECT quote_ident(nspowner::regrole::text) FROM pg_namespace WHERE nspname = 'millrace') AS owner`,
};
// $1 role
const QUOTED: Statement = {
  name: '',
  text: 'SELECT quote_ident($1) AS role, quote_ident(current_database()) AS database',
};

/** The statements that an owner has to run for a role that works in the schema and changes nothing about it. */
function grantsFor(role: string): string[] {
  return [
    `GRANT USAGE ON SCHEMA millrace TO ${role};`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA millrace TO ${role};`,
    `GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA millrace TO ${role};`,
  ];
}

/** The same with what holds for tables of later versions too, statement by statement. To be run by the owner of the schema. */
export async function grantsTo(session: Session, name: string): Promise<string[]> {
  const [quoted] = await session.query<{ role: string; database: string }>(QUOTED, [name]);
  if (quoted === undefined) throw new Error('The database gave no name.');
  const { role, database } = quoted;
  const later = 'ALTER DEFAULT PRIVILEGES IN SCHEMA millrace GRANT';
  return [
    `GRANT CONNECT ON DATABASE ${database} TO ${role};`,
    ...grantsFor(role),
    `${later} SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role};`,
    `${later} USAGE, SELECT, UPDATE ON SEQUENCES TO ${role};`,
  ];
}

/** Whatever was denied, in words that name the role, the right and who can give it. */
export async function missingRight(database: Database, cause: unknown): Promise<SchemaRefused> {
  const [who] = await database.query<{ role: string; database: string; owner: string | null }>(
    WHO,
    [],
  );
  const { role = 'this role', database: name = 'the database', owner = null } = who ?? {};
  const why = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : '';
  const grants = grantsFor(role).join(' ');
  return new SchemaRefused(
    'right_missing',
    owner === null
      ? `The role ${role} may not set up the schema millrace (${why}). Run as the owner of the database: GRANT CREATE ON DATABASE ${name} TO ${role}; or run "millrace migrate" once as a role that may, and then: ${grants}`
      : `The role ${role} lacks a right on the schema millrace (${why}). To set up or update its tables, run "millrace migrate" as its owner ${owner}. To work in it, run as ${owner}: ${grants}`,
    { cause },
  );
}
