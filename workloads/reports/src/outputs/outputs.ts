import { FileError } from './errors.ts';
import { createLocalFiles } from './local/local.ts';
import { type S3FilesParams, createS3Files } from './s3/s3.ts';
import type { Outputs } from './types.ts';

/**
 * Files go to S3 where it is configured, to the folder otherwise. What was written before the configuration changed is still read, removed and
 * swept where it is.
 */
export function createOutputs(params: {
  readonly folder: string;
  readonly s3: S3FilesParams | null;
}): Outputs {
  const local = createLocalFiles(params.folder);
  const s3 = params.s3 === null ? null : createS3Files(params.s3);
  return {
    open: (open) => (s3 ?? local).open(open),
    read(file, range, signal) {
      if (file.kind === 'local') return local.read(file, range, signal);
      if (s3 !== null) return s3.read(file, range, signal);
      throw new FileError(
        'file_gone',
        'The file is on object storage, and this service has none configured any more.',
      );
    },
    async remove(file) {
      if (file.kind === 'local') await local.remove(file);
      else await s3?.remove(file);
    },
    async sweep(sweep) {
      const files = await local.sweep(sweep);
      const swept = (await s3?.sweep(sweep)) ?? { files: 0, uploads: 0 };
      return { files: files + swept.files, uploads: swept.uploads };
    },
    check: () => (s3 ?? local).check(),
  };
}
