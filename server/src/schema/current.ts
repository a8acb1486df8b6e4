import { type Database, planMigrations } from '@millrace/store-postgres';
import { ProgramRefused } from '../program.ts';
import { SCHEMA_PARTS } from './parts.ts';

/** Refuses a database that this version has not set up, or that a newer one has: `what` begins the sentence, `code` the code. */
export async function requireCurrent(
  database: Database,
  code: 'source' | 'target',
  what: string,
): Promise<void> {
  const { parts } = await planMigrations(database, SCHEMA_PARTS);
  const behind = parts.filter(({ pending }) => pending.length > 0).map(({ part }) => part);
  if (behind.length > 0)
    throw new ProgramRefused(
      `${code}_behind`,
      'refused',
      `${what} lacks migrations of this version (${behind.join(', ')}). Run "millrace migrate" on it first.`,
    );
  const newer = parts.filter((each) => each.newer.length > 0).map(({ part }) => part);
  if (newer.length > 0)
    throw new ProgramRefused(
      `${code}_newer`,
      'refused',
      `${what} was set up by a newer Millrace (${newer.join(', ')}). Use that version.`,
    );
}
