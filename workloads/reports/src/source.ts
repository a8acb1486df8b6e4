import { readFile } from 'node:fs/promises';
import { type SqlSource, openEmbeddedSource, openPostgresSource } from '@millrace/sql-source';
import { connectConfig, createDatabase, lockFolder } from '@millrace/store-postgres';
import type { SourceConfig } from './settings/source.ts';

/** The database that reports read. `null`: the embedded one, in the folder. */
export function openSource(config: SourceConfig | null, sampleFolder: string): SqlSource {
  if (config === null)
    return openEmbeddedSource({
      folder: sampleFolder,
      lock: (folder) => lockFolder(folder, 'REPORTS_DATABASE_URL'),
      create: createDatabase,
    });
  const { url, tls, passwordFile } = config;
  return openPostgresSource({
    connection: {
      ...connectConfig({ url, ...(tls !== null && { tls }) }),
      ...(passwordFile !== null && { password: () => passwordIn(passwordFile) }),
    },
  });
}

/** Editors and `echo` end a file with a line break, which is no part of the password. */
async function passwordIn(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${path} of REPORTS_DATABASE_PASSWORD_FILE cannot be read: ${error.code}`);
  });
  const password = text.replace(/\r?\n$/, '');
  if (password === '') throw new Error(`${path} of REPORTS_DATABASE_PASSWORD_FILE is empty`);
  return password;
}
