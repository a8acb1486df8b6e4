import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type RunningServer, runningServer } from '@millrace/api';
import type { Log } from '@millrace/engine';
import { writePrivate } from './private-file.ts';

/**
 * Tells the command line of this user where this process serves, and lets it in; gives what takes that back. A home that
 * cannot be written to is no reason not to serve.
 */
export async function advertiseServer(
  folder: string,
  server: Pick<RunningServer, 'url' | 'client' | 'simulatedOrg'>,
  log: Log,
): Promise<() => Promise<void>> {
  const file = join(folder, `${randomBytes(8).toString('hex')}.json`);
  const entry: RunningServer = {
    ...server,
    folder: process.cwd(),
    pid: process.pid,
    startedAt: Date.now(),
  };
  try {
    await makeFolders(folder);
    await chmod(folder, 0o700); // it may have been there before
    await removeStale(folder, server.url);
    await writePrivate(file, entry);
  } catch (err) {
    log.warn({ err }, 'the command line cannot find this server by itself: name it with --url');
  }
  return () => rm(file, { force: true });
}

/**
 * One at a time: what Node does itself with `recursive` never ends, and keeps a processor busy, where a folder is there and
 * nothing can be made in it for ENOENT, as in /proc.
 */
async function makeFolders(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || existsSync(dirname(folder))) throw error;
    await makeFolders(dirname(folder));
    await makeFolders(folder);
  }
}

/** Whoever was killed leaves its file behind: no process has its number, or another one serves at its address now. */
async function removeStale(folder: string, url: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.json')) continue; // another process is about to write it
    const file = join(folder, name);
    const entry = await readEntry(file);
    if (entry === null || entry.url === url || !lives(entry.pid)) await rm(file, { force: true });
  }
}

/** Null where it is not one: half of a file that a killed process was writing. */
async function readEntry(file: string): Promise<RunningServer | null> {
  try {
    return runningServer.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, and is not ours.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
