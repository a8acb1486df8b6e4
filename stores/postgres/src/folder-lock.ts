import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/**
 * PGlite takes no lock on its folder, and two processes on one folder lose writes without a word. The lock is
 * a file with the owner's process id and the moment that process started, so that neither a crash nor a
 * reused id leaves the folder locked for ever.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'millrace.lock');
  const mine = JSON.stringify({
    host: hostname(),
    pid: process.pid,
    started: await startedAt(process.pid),
  });
  for (let tries = 0; tries < 3; tries++) {
    try {
      const file = await open(path, 'wx', 0o600);
      await file.writeFile(mine);
      await file.close();
      return () => rm(path, { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      const owner = await readFile(path, 'utf8').catch(() => '');
      if (owner !== '' && (await isAlive(owner))) {
        throw new Error(
          `The folder ${folder} is in use by process ${pidOf(owner)}. Stop it, set MILLRACE_DATA to another folder, or set DATABASE_URL to share one Postgres.`,
          { cause: error },
        );
      }
      // Taking a stale lock away by renaming: of two that try, one finds the file gone and starts over.
      const aside = `${path}.${process.pid}.${tries}`;
      await writeFile(aside, '').catch(() => {});
      await rename(path, aside).catch(() => {});
      await rm(aside, { force: true });
    }
  }
  throw new Error(`The folder ${folder} could not be locked. Is another process starting on it?`);
}

async function isAlive(owner: string): Promise<boolean> {
  const { host, pid, started } = parse(owner);
  // Another machine's processes cannot be seen from here: believe the lock.
  if (host !== hostname()) return true;
  if (pid === process.pid) return started === (await startedAt(pid));
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return started === '' || started === (await startedAt(pid));
}

/** Field 22 of Linux's /proc/<pid>/stat; empty elsewhere. */
async function startedAt(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function parse(owner: string): { host: string; pid: number; started: string } {
  try {
    return JSON.parse(owner) as { host: string; pid: number; started: string };
  } catch {
    return { host: hostname(), pid: 0, started: '-' };
  }
}

function pidOf(owner: string): string {
  const { host, pid } = parse(owner);
  return host === hostname() ? String(pid) : `${pid} on ${host}`;
}
