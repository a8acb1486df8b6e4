import { randomBytes } from 'node:crypto';
import {
  chmod,
  mkdir,
  readFile,
  readdir,
  readlink,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { removeProcess } from './profile.ts';

/**
 * The folder that one pool keeps its files in, and the folders of pools that ended without clearing up (a pool
 * whose process was killed could not).
 *
 * Who owns a folder is in its `owner.json`: process id, its start time, the boot and the process namespace. In the same
 * namespace these tell exactly whether the owner lives. From another container or machine (on a shared disk) they tell
 * nothing; there the owner's sign of life does, the file's time, renewed every minute.
 */
const PREFIX = 'millrace-office-';
const OWNER = 'owner.json';
export const SIGN_OF_LIFE_MS = 60_000;
const LIFELESS_AFTER_MS = 10 * SIGN_OF_LIFE_MS;

interface Owner {
  readonly pid: number;
  readonly startedAt: string;
  readonly boot: string;
  readonly namespace: string;
}

export interface WorkFolder {
  readonly path: string;
  remove(): Promise<void>;
}

export async function makeWorkFolder(workdir: string): Promise<WorkFolder> {
  const path = join(workdir, `${PREFIX}${process.pid}-${randomBytes(6).toString('hex')}`);
  const owner = join(path, OWNER);
  await mkdir(workdir, { recursive: true });
  await mkdir(path);
  await chmod(path, 0o711); // a process with an account of its own finds its folder in it, and nothing else
  await writeFile(owner, JSON.stringify(await ownerOf(process.pid)));
  const signs = setInterval(() => {
    const now = new Date();
    void utimes(owner, now, now).catch(() => {});
  }, SIGN_OF_LIFE_MS).unref();
  return {
    path,
    async remove() {
      clearInterval(signs);
      await rm(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Removes what dead pools left, as far as this user may. Gives their folders' names. */
export async function sweep(workdir: string): Promise<string[]> {
  const names = await readdir(workdir).catch(() => []);
  const folders = names.filter((name) => name.startsWith(PREFIX));
  const swept = await Promise.all(
    folders.map(async (name) => {
      const folder = join(workdir, name);
      if (await lives(folder)) return [];
      // In a folder for everybody, as /tmp, there may be another user's.
      return removePool(folder).then(
        () => [name],
        () => [],
      );
    }),
  );
  return swept.flat();
}

async function removePool(folder: string): Promise<void> {
  for (const process of await readdir(folder)) await removeProcess(join(folder, process));
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function lives(folder: string): Promise<boolean> {
  const sign = await stat(join(folder, OWNER)).catch(() => stat(folder).catch(() => null));
  if (sign === null) return false;
  const fresh = Date.now() - sign.mtimeMs < LIFELESS_AFTER_MS;
  const owner = await readOwner(folder);
  if (owner === null) return fresh; // being made, or never finished
  const here = await ownerOf(process.pid);
  const comparable =
    here.boot !== '' && owner.boot === here.boot && owner.namespace === here.namespace;
  if (!comparable) return fresh;
  return (await ownerOf(owner.pid)).startedAt === owner.startedAt;
}

async function readOwner(folder: string): Promise<Owner | null> {
  try {
    return JSON.parse(await readFile(join(folder, OWNER), 'utf8')) as Owner;
  } catch {
    return null;
  }
}

/** With empty strings for what the system does not tell, or for a process that is not there. */
async function ownerOf(pid: number): Promise<Owner> {
  const [stats, boot, namespace] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    readlink('/proc/self/ns/pid').catch(() => ''),
  ]);
  // "pid (name) state …": the name may hold anything, the start is the twentieth word after it.
  const startedAt = stats.slice(stats.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  return { pid, startedAt, boot: boot.trim(), namespace };
}
