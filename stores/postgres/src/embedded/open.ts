import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MillraceError } from '@millrace/engine';
import type { Database } from '../database.ts';
import { lockFolder } from './folder-lock.ts';
import { openPglite } from './pglite.ts';

/** Whether there is a database in the folder. To open one that is not there makes it. */
export function hasEmbedded(folder: string): boolean {
  return existsSync(dataOf(folder));
}

/** The database in a folder, which is this process's own until it is closed. */
export async function openEmbedded(source: {
  readonly folder: string;
  readonly durable?: boolean;
}): Promise<Database> {
  // Only here: a program that has a Postgres need not load one.
  const { openFolder } = await import('./pglite-folder.ts').catch(orHowToInstall);
  const unlock = await lockFolder(source.folder);
  try {
    const pglite = await openFolder(dataOf(source.folder), { isDurable: source.durable ?? true });
    return {
      ...openPglite(pglite),
      async close() {
        try {
          await pglite.close();
        } finally {
          await unlock();
        }
      },
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}

const PGLITE = '@electric-sql/pglite';

/** A program that has a Postgres does without its 26 MB. */
function orHowToInstall(error: unknown): never {
  if (!(error instanceof Error && error.message.startsWith(`Cannot find package '${PGLITE}'`)))
    throw error;
  const manifest = new URL('../../package.json', import.meta.url);
  const { peerDependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    peerDependencies: Record<typeof PGLITE, string>;
  };
  throw new MillraceError(
    'invalid_definition',
    `The embedded database is a package of its own: npm install ${PGLITE}@${peerDependencies[PGLITE]}. Or name a Postgres.`,
    { cause: error },
  );
}

function dataOf(folder: string): string {
  return join(folder, 'pg');
}
