import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Quick enough for someone who has just saved a file and looks at the terminal. */
const LOOK_MS = 400;

/**
 * Calls back when a file in the folder, or below it, has changed, come or gone. The folder may come later.
 * Once this has resolved, no change is missed: what is loaded afterwards is at least as new as the first look.
 * An editor saves in several steps, and "save all" touches many files: they are one change once two looks are the same.
 *
 * It looks instead of subscribing: `fs.watch(…, { recursive: true })` of Node 20 on Linux follows the file that was there
 * first, and is deaf once an editor has put another in its place; and mounted folders of containers report nothing at all.
 * A look at 100 files takes 3 ms, mostly in other threads.
 */
export async function watchFolder(
  folder: string,
  onChange: () => void,
  everyMs = LOOK_MS,
): Promise<() => void> {
  let reported = await look(folder);
  let seen = reported;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  async function compare(): Promise<void> {
    const now = await look(folder);
    if (isOver) return;
    const isStill = now === seen;
    seen = now;
    if (isStill && now !== reported) {
      reported = now;
      onChange();
    }
    lookLater();
  }
  function lookLater(): void {
    timer = setTimeout(() => void compare(), everyMs).unref();
  }
  lookLater();

  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/**
 * All files of the folder, as a text that is another one when any of them is. The time of the last change of its inode
 * (ctime) counts, since a file can be put back with the mtime that it had. What cannot be read is as good as gone.
 */
async function look(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const looks = entries
    // Swap files of editors, repositories and packages are nothing that people wrote for us.
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return look(path);
      const found = await stat(path, { bigint: true }).catch(() => null);
      return found?.isFile() ? `${path} ${found.ino} ${found.size} ${found.ctimeNs}` : '';
    });
  return (await Promise.all(looks)).toSorted().join('\n');
}
