import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, realpath, rename, rm } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { JobFailure, defineJob, done } from '@millrace/engine';
import { z } from 'zod';

/**
 * Writes a manifest of SHA-256 checksums for a folder of the project, in the form of `sha256sum`: later,
 * `sha256sum -c` tells what has changed.
 *
 * It works in chunks. After each one the engine saves the cursor, so a job that was interrupted by a
 * crash, a deployment or an error goes on from there.
 *
 * Strict, since both fields have a default: a misspelt one would be passed over, and another folder read.
 */
const input = z.strictObject({
  /** In the folder that Millrace was started in. Hidden files and node_modules are left out. */
  folder: z.string().min(1).max(1_000).default('.'),
  filesPerChunk: z.number().int().min(1).max(10_000).default(50),
});

const START = { after: '', files: 0, bytes: 0 };
const cursorSchema = z.object({
  /** The last file that is in the manifest. */
  after: z.string(),
  files: z.number(),
  /** How much of the manifest is certain. */
  bytes: z.number(),
});

export const checksumFolder = defineJob({
  kind: 'checksum-folder',
  input,
  public: true,
  concurrency: 2,
  timeout: '1h',
  retry: { backoff: 'steps', delays: ['5s', '1m'] },

  async *run(job, { signal }) {
    const manifest = await openManifest(job.id, job.cursor);
    let { after, files } = manifest.from;
    try {
      const left = (await filesOf(job.data.folder)).filter((file) => file > after);
      const total = files + left.length;
      while (left.length > 0) {
        const chunk = left.splice(0, job.data.filesPerChunk);
        const lines = [];
        for (const file of chunk) lines.push(await checksumLine(file, signal));
        const bytes = await manifest.append(lines.join(''));
        after = chunk.at(-1) ?? after;
        files += chunk.length;
        yield { cursor: { after, files, bytes }, progress: { done: files, total, note: after } };
      }
    } finally {
      await manifest.close();
    }
    await rename(partOf(job.id), manifestOf(job.id));
    return done({ files, manifest: manifestOf(job.id) });
  },

  /** Runs as a job of its own once this one has failed for good or was cancelled. */
  async cleanup({ id }) {
    await rm(partOf(id), { force: true });
  },
});

// A schedule is an export like any other. Without the comment signs, this runs every night at two:
//
// export const nightly = {
//   name: 'checksums-nightly',
//   cron: '0 2 * * *',
//   timeZone: 'Europe/Berlin',
//   job: { kind: 'checksum-folder', data: { folder: 'docs' } },
// };

/** Sorted, so that "after this file" means the same in the next execution. */
async function filesOf(folder: string): Promise<string[]> {
  const root = await realpath('.');
  // Whoever reaches the API can enqueue this: neither ".." nor a link may lead out of the project.
  const path = await realpath(resolve(root, folder)).catch(() => null);
  if (path === null || (path !== root && !path.startsWith(root + sep))) {
    const message = `There is no folder "${folder}" in the project.`;
    throw new JobFailure('folder_not_found', message, { retryable: false });
  }
  const files: string[] = [];
  const folders = [path];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of await readdir(next, { withFileTypes: true })) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (entry.isDirectory()) folders.push(join(next, entry.name));
      else if (entry.isFile()) files.push(relative(root, join(next, entry.name)));
    }
  }
  return files.toSorted();
}

/** As sha256sum writes it: a name with a backslash or a line break is escaped, and so marked. */
async function checksumLine(file: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(file, { signal })) hash.update(bytes as Buffer);
  const escaped = file.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return `${escaped === file ? '' : '\\'}${hash.digest('hex')}  ${escaped}\n`;
}

/** The manifest as the last saved chunk left it: what a lost chunk wrote after that is cut off again. */
async function openManifest(id: string, cursor: unknown) {
  await mkdir(checksums(), { recursive: true });
  const file = await open(partOf(id), 'a+');
  const saved = cursorSchema.safeParse(cursor).data ?? START;
  // A job that was cancelled and then retried has its cursor, but its file was cleaned up.
  const from = (await file.stat()).size < saved.bytes ? START : saved;
  await file.truncate(from.bytes);
  let { bytes } = from;
  return {
    from,
    async append(text: string): Promise<number> {
      await file.appendFile(text);
      await file.datasync(); // before the cursor says that it is there
      return (bytes += Buffer.byteLength(text));
    },
    close: () => file.close(),
  };
}

function checksums(): string {
  return join(process.env['MILLRACE_DATA'] ?? '.millrace', 'checksums');
}

function manifestOf(id: string): string {
  return join(checksums(), `${id}.sha256`);
}

function partOf(id: string): string {
  return `${manifestOf(id)}.part`;
}
