import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Log } from '@millrace/engine';
import type { Database, Statement } from '@millrace/store-postgres';
import type { HealthCheck } from '@millrace/workload-kit';
import { codeOf, ensureFolder } from './folder.ts';

const FILE = '.millrace-folder';

/** What lies in the folder, so that two servers know whether they have one folder or two; null: nothing does. */
export async function readFolderId(folder: string): Promise<string | null> {
  try {
    const id = (await readFile(join(folder, FILE), 'utf8')).trim();
    return /^[0-9a-f]{16}$/.test(id) ? id : null;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The same, and puts an id there where none is. Servers that start at the same time agree on one. */
export async function ensureFolderId(folder: string): Promise<string> {
  await ensureFolder(folder);
  const id = randomBytes(8).toString('hex');
  try {
    await writeFile(join(folder, FILE), `${id}\n`, { flag: 'wx', mode: 0o600 });
    return id;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const found = await readFolderId(folder);
  if (found !== null) return found;
  // Another server has made the file and not written to it yet, or died in between.
  await writeFile(join(folder, FILE), `${id}\n`);
  return (await readFolderId(folder)) ?? id;
}

/** Which folders other servers of the same queue keep their files in. */
export interface FolderWatch {
  /** Notes our own, and looks for others. */
  runOnce(): Promise<{ readonly more: false }>;
  readonly check: HealthCheck;
}

/** A server that ended without a word is no trouble any more after this. The chore notes its own every ten minutes. */
const SEEN_WITHIN_MS = 30 * 60_000;

// $1 id $2 host $3 folder
const NOTE: Statement = {
  name: 'reports_note_folder',
  text: `
INSERT INTO millrace.report_folders (id, host, folder, seen_at) VALUES ($1, $2, $3, millrace.clock())
ON CONFLICT (id) DO UPDATE SET host = excluded.host, folder = excluded.folder, seen_at = excluded.seen_at`,
};

// $1 id $2 within, ms
const OTHERS: Statement = {
  name: 'reports_other_folders',
  text: `
SELECT host, folder FROM millrace.report_folders
 WHERE id <> $1 AND seen_at > millrace.clock() - $2::float8 * interval '1 millisecond' ORDER BY host, folder`,
};

export function createFolderWatch(parts: {
  readonly database: Database;
  readonly folder: string;
  readonly id: string;
  readonly log: Log;
}): FolderWatch {
  const { database, folder, id, log } = parts;
  let others: readonly { host: string; folder: string }[] = [];
  let said = '';
  return {
    async runOnce() {
      await database.query(NOTE, [id, hostname(), folder]);
      others = await database.query<{ host: string; folder: string }>(OTHERS, [id, SEEN_WITHIN_MS]);
      const now = JSON.stringify(others);
      if (others.length > 0 && now !== said)
        log.warn(
          { folder, others },
          'Another server of this queue keeps files of reports in a folder that is not this one: neither can give out the files of the other. Leave REPORTS_OUTPUT_FOLDER out, so that files are in the database, mount one folder in all servers, or set up object storage.',
        );
      said = now;
      return { more: false };
    },
    check: {
      name: 'reports_files',
      async run() {
        if (others.length === 0) return { status: 'ok' };
        return {
          status: 'degraded',
          detail: 'Servers keep files of reports in different folders, and each has only its own.',
        };
      },
    },
  };
}
