import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * PGlite takes no lock on its folder, and two processes on one folder lose writes without a word. The lock is
 * a file with the owner's process id and the moment that process started, so that neither a crash nor a
 * reused id leaves the folder locked for ever.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'millrace.lock');
  const mine = join(folder, `.millrace.lock.${process.pid}.${randomBytes(4).toString('hex')}`);
  const owner = { host: hostname(), pid: process.pid, started: await startedAt(process.pid) };
  await writeFile(mine, JSON.stringify(owner), { mode: 0o600 });
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      // A link appears whole or not at all: nobody ever reads half a lock.
      if (await succeeds(link(mine, path))) return () => rm(path, { force: true });
      const other = await readFile(path, 'utf8').catch(() => null);
      if (other !== null && (await isAlive(other))) throw inUse(folder, other);
      if (other !== null) await clear(path, other);
      await sleep(TRY_AGAIN_MS);
    }
  } finally {
    await rm(mine, { force: true });
  }
  throw new Error(`The folder ${folder} could not be locked. Is another process starting on it?`);
}

const TRIES = 50;
const TRY_AGAIN_MS = 20;
const CLEARED_WITHIN_MS = 10_000;

/**
 * Takes a dead process's lock away. One process at a time, and only if it is still that lock: else one that has just
 * been taken anew would go.
 */
async function clear(path: string, dead: string): Promise<void> {
  const turn = `${path}.clearing`;
  if (!(await succeeds(mkdir(turn)))) {
    const since = await stat(turn).catch(() => null);
    if (since !== null && Date.now() - since.mtimeMs > CLEARED_WITHIN_MS)
      await rm(turn, { recursive: true, force: true });
    return;
  }
  try {
    if ((await readFile(path, 'utf8').catch(() => null)) === dead) await rm(path, { force: true });
  } finally {
    await rm(turn, { recursive: true, force: true });
  }
}

/** False when it is there already. */
async function succeeds(making: Promise<unknown>): Promise<boolean> {
  try {
    await making;
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function inUse(folder: string, owner: string): Error {
  return new Error(
    `The folder ${folder} is in use by process ${pidOf(owner)}. Stop it, set MILLRACE_DATA to another folder, or set DATABASE_URL to share one Postgres.`,
  );
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
  const fields = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return fields.slice(fields.lastIndexOf(')') + 2).split(' ')[19] ?? '';
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
