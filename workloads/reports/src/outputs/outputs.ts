import type { Database } from '@millrace/store-postgres';
import { createDatabaseFiles } from './database/database.ts';
import { FileError } from './errors.ts';
import { createLocalFiles } from './local/local.ts';
import { type S3FilesParams, createS3Files } from './s3/s3.ts';
import type { FilePlace, Outputs } from './types.ts';

export interface OutputsParams {
  readonly folder: string;
  /** What lies in the folder, for files that are written there; null: the folder is nobody else's. */
  readonly folderId?: string | null;
  /** Object storage. */
  readonly s3: S3FilesParams | null;
  /** That of the queue, where others work on it too. */
  readonly database?: Database | null;
  /** Where files go. What was written before the configuration changed is still read, removed and swept where it is. */
  readonly into?: 'folder' | 'database' | 'storage';
}

export function createOutputs(params: OutputsParams): Outputs {
  const { folderId = null } = params;
  const local = createLocalFiles(params.folder, folderId);
  const s3 = params.s3 === null ? null : createS3Files(params.s3);
  const database =
    params.database === undefined || params.database === null
      ? null
      : createDatabaseFiles(params.database);
  const into = params.into ?? (s3 === null ? 'folder' : 'storage');
  const writer = { folder: local, database, storage: s3 }[into];
  if (writer === null) throw new Error(`Files cannot go into the ${into}: there is none.`);

  function reaches(file: FilePlace): boolean {
    if (file.kind === 'local') return file.folder === undefined || file.folder === folderId;
    return (file.kind === 'database' ? database : s3) !== null;
  }

  return {
    open: (open) => writer.open(open),
    read(file, range, signal) {
      if (file.kind === 'local') return local.read(file, range, signal);
      if (file.kind === 'database' && database !== null) return database.read(file, range, signal);
      if (file.kind === 's3' && s3 !== null) return s3.read(file, range, signal);
      throw new FileError(
        'file_gone',
        `The file is ${file.kind === 's3' ? 'on object storage' : 'in the database'}, and this service has none configured any more.`,
      );
    },
    async remove(file) {
      if (file.kind === 'local') await local.remove(file);
      else if (file.kind === 'database') await database?.remove(file);
      else await s3?.remove(file);
    },
    async sweep(sweep) {
      const files = (await local.sweep(sweep)) + ((await database?.sweep(sweep)) ?? 0);
      const swept = (await s3?.sweep(sweep)) ?? { files: 0, uploads: 0 };
      return { files: files + swept.files, uploads: swept.uploads };
    },
    reaches,
    // A database that cannot be written to stops the queue itself.
    check: () => (s3 ?? (into === 'folder' ? local : null))?.check() ?? Promise.resolve(),
  };
}
