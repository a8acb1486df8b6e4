import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from './screen.ts';
import { UsageError } from '../line/usage-error.ts';

const IS_WINDOWS = process.platform === 'win32';

/** Opens a text in the editor of this user, and gives it as it was left. It lies in a folder that only they may enter. */
export async function editText(env: Environment, text: string, isPiped = false): Promise<string> {
  const chosen = env['VISUAL'] || env['EDITOR'];
  // An editor that somebody named may be a script. vi without a terminal only writes its screen into a log.
  if (!chosen && isPiped)
    throw new UsageError(
      'No terminal or editor to edit it in. Give the data with --data, or set EDITOR.',
    );
  const editor = chosen || (IS_WINDOWS ? 'notepad' : 'vi');
  const folder = await mkdtemp(join(tmpdir(), 'millrace-edit-'));
  const file = join(folder, 'data.json');
  try {
    await writeFile(file, text, { mode: 0o600 });
    const code = await run(editor, file);
    if (code !== 0) throw new UsageError(`"${editor}" exited with ${code}: nothing was changed.`);
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * By the shell, since EDITOR may have words of its own: `code --wait`. The file is an argument, never part of the script; on
 * Windows, where it has to be, no path can have a quote in it.
 */
function run(editor: string, file: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = IS_WINDOWS
      ? spawn(`${editor} "${file}"`, { stdio: 'inherit', shell: true })
      : spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
    child.on('error', reject);
    child.on('exit', resolve);
  });
}
