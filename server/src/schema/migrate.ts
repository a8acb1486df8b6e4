import {
  type Database,
  type Plan,
  grantsTo,
  hasEmbedded,
  migrate,
  planEmpty,
  planMigrations,
  scriptOf,
} from '@millrace/store-postgres';
import type { DatabasePlace } from '../config/place.ts';
import { ProgramRefused } from '../program.ts';
import { databaseFolder } from '../store.ts';
import { openDatabase } from './open.ts';
import { SCHEMA_PARTS } from './parts.ts';

export type MigrateRequest =
  | { readonly mode: 'apply' | 'check' | 'script' }
  /** The rights of a role that uses the schema without changing it. */
  | { readonly mode: 'grants'; readonly role: string };

/** The messages of `millrace migrate`. */
export type MigrateEvent =
  | {
      readonly type: 'part';
      readonly part: string;
      readonly state: 'up to date' | 'applied' | 'pending' | 'newer';
      /** The newest migration that the database has; null: none. */
      readonly version: string | null;
      /** Those that were applied, are to be, or are of a newer Millrace. */
      readonly migrations: readonly string[];
    }
  | { readonly type: 'sql'; readonly sql: string };

/** Brings the schema up to date, or says what that would take. Throws before anything is changed where it is too new for this code. */
export async function* migrateSchema(
  place: DatabasePlace,
  request: MigrateRequest,
): AsyncGenerator<MigrateEvent> {
  if (request.mode === 'grants' && place.databaseUrl === null)
    throw new ProgramRefused(
      'no_roles',
      'usage',
      'The embedded database has no roles. Set DATABASE_URL to the Postgres that the role is for.',
    );
  const isThere = place.databaseUrl !== null || hasEmbedded(databaseFolder(place));
  if (request.mode !== 'apply' && !isThere)
    return yield* told(await planEmpty(SCHEMA_PARTS), request.mode);
  const database = await openDatabase(place);
  try {
    if (request.mode === 'grants')
      yield { type: 'sql', sql: (await grantsTo(database, request.role)).join('\n') };
    else {
      const plan = await planMigrations(database, SCHEMA_PARTS);
      yield* request.mode === 'apply' ? applied(database, plan) : told(plan, request.mode);
    }
  } finally {
    await database.close();
  }
}

async function* applied(database: Database, { parts }: Plan): AsyncGenerator<MigrateEvent> {
  for (const { part, source, version, pending, newer } of parts) {
    const done = await migrate(database, source);
    const [state, migrations] =
      done.length > 0
        ? (['applied', done] as const)
        : newer.length > 0
          ? (['newer', newer] as const)
          : (['up to date', []] as const);
    // What was pending is there by now, also where somebody else was quicker.
    yield { type: 'part', part, state, version: pending.at(-1)?.file ?? version, migrations };
  }
}

async function* told(
  plan: Plan,
  mode: Exclude<MigrateRequest['mode'], 'apply'>,
): AsyncGenerator<MigrateEvent> {
  if (mode === 'script') return yield { type: 'sql', sql: scriptOf(plan) };
  for (const { part, version, pending, newer } of plan.parts) {
    const state = pending.length > 0 ? 'pending' : newer.length > 0 ? 'newer' : 'up to date';
    const migrations = pending.length > 0 ? pending.map(({ file }) => file) : newer;
    yield { type: 'part', part, state, version, migrations };
  }
}
