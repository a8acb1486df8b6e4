import type { Database, Session, Statement } from '@millrace/store-postgres';

/** What a report's file said, under the digest of it. */
export interface KeptDefinition {
  readonly digest: string;
  readonly name: string;
  /** JSON whose SHA-256 is the digest. */
  readonly text: string;
}

/** Definitions as they were when somebody submitted a report with them, the same for all replicas. */
export interface KeptDefinitions {
  /** Of every report of the catalogue, when it is loaded and when it changes: rules and schedules name them by their digest. */
  keep(definitions: readonly KeptDefinition[]): Promise<void>;
  /** In somebody's transaction. */
  keepIn(session: Session, definition: KeptDefinition): Promise<void>;
  find(digest: string): Promise<KeptDefinition | null>;
  /** Removes those that no run names and no catalogue has had for long; how many. */
  prune(keepMs: number): Promise<number>;
}

// $1 digest $2 name $3 definition
const KEEP: Statement = {
  name: 'reports_keep_definition',
  text: `
INSERT INTO millrace.report_definitions AS d (digest, name, definition, created_at, seen_at)
VALUES ($1, $2, $3, millrace.clock(), millrace.clock())
ON CONFLICT (digest) DO UPDATE SET seen_at = millrace.clock() WHERE d.seen_at < millrace.clock() - interval '1 hour'`,
};

// $1 digest
const FIND: Statement = {
  name: 'reports_definition',
  text: `SELECT digest, name, definition AS text FROM millrace.report_definitions WHERE digest = $1`,
};

// $1 keep, ms
const PRUNE: Statement = {
  name: 'reports_prune_definitions',
  text: `
DELETE FROM millrace.report_definitions d
 WHERE d.seen_at < millrace.clock() - $1::float8 * interval '1 millisecond'
   AND NOT EXISTS (SELECT FROM millrace.report_runs r WHERE r.digest = d.digest) RETURNING digest`,
};

export function createDefinitions({ database }: { database: Database }): KeptDefinitions {
  async function keepIn(session: Session, { digest, name, text }: KeptDefinition): Promise<void> {
    await session.query(KEEP, [digest, name, text]);
  }
  return {
    async keep(definitions) {
      for (const definition of definitions) await keepIn(database, definition);
    },
    keepIn,
    async find(digest) {
      const [row] = await database.query<{ digest: string; name: string; text: string }>(FIND, [
        digest,
      ]);
      return row ?? null;
    },
    prune: async (keepMs) => (await database.query(PRUNE, [keepMs])).length,
  };
}
