import { lchown, lstat, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The user and the group that a process becomes. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Nobody and nogroup, by the numbers that every Linux has for them. */
const NOBODY: Account = { uid: 65_534, gid: 65_534 };

/**
 * Root lends its processes the account of nobody. Null where the service is not root (a process is then who the service is),
 * and where nobody could not work: this root may not give files away, or the work folder or fonts are in a folder that is closed to others,
 * as root's own usually is.
 */
export async function lentAccount(
  workFolder: string,
  fontFolders: readonly string[],
): Promise<Account | null> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null;
  const trial = join(workFolder, 'trial');
  try {
    await mkdir(trial, { mode: 0o700 });
    await giveTo(NOBODY, trial);
    await writeFile(join(trial, 'file'), ''); // root in some containers may not
    for (const folder of [workFolder, ...fontFolders])
      if (!(await isOpenToOthers(folder))) return null;
    return NOBODY;
  } catch {
    return null;
  } finally {
    await rm(trial, { recursive: true, force: true });
  }
}

/** A folder and all that is in it. */
export async function giveTo(account: Account | null, path: string): Promise<void> {
  if (account === null) return;
  if ((await lstat(path)).isDirectory())
    for (const name of await readdir(path)) await giveTo(account, join(path, name));
  await lchown(path, account.uid, account.gid);
}

async function isOpenToOthers(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  if ((mode & 0o001) === 0) return false;
  const parent = dirname(folder);
  return parent === folder || isOpenToOthers(parent);
}
