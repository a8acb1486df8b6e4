import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Context } from '../context.ts';
import { UsageError } from '../line/usage-error.ts';
import { type Chunks, openOutput } from '../terminal/output.ts';
import { ToolRefusal } from './refusal.ts';

/** The one folder that files are saved in. Whoever names them may have been talked into it by a job's data. */
export interface Folder {
  readonly path: string;
  /** Refuses at once what could only be refused after the work. */
  open(name: string): Promise<Place>;
}

export interface Place {
  readonly path: string;
  /** All of it or nothing; gives the number of bytes. */
  write(chunks: Chunks): Promise<number>;
}

export async function openFolder(context: Context, given: string): Promise<Folder> {
  const path = await realpath(resolve(context.world.folder, given)).catch(() => {
    throw new UsageError(`Folder not found: "${given}". --files takes an existing folder.`);
  });
  if (!(await lstat(path)).isDirectory())
    throw new UsageError(`"${given}" is a file. --files names a folder.`);
  return {
    path,
    async open(name) {
      const place = await placeIn(path, name);
      try {
        return await openOutput(context, place, undefined);
      } catch (thrown) {
        if (thrown instanceof UsageError) throw new ToolRefusal('file_refused', thrown.message);
        throw thrown;
      }
    },
  };
}

/** Where a name leads, links followed: out of the folder it does not. */
async function placeIn(root: string, name: string): Promise<string> {
  const wanted = resolve(root, name);
  if (isOutside(root, wanted)) throw outside(root, name);
  const folder = await realpath(dirname(wanted)).catch(() => {
    throw new ToolRefusal(
      'file_refused',
      `The folder of ${JSON.stringify(name)} does not exist in ${root}.`,
    );
  });
  if (folder !== root && isOutside(root, folder)) throw outside(root, name);
  const place = join(folder, relative(dirname(wanted), wanted));
  // A link that leads nowhere is there too: what is written would be made where it leads.
  if ((await lstat(place).catch(() => null)) !== null)
    throw new ToolRefusal(
      'file_refused',
      `The file ${JSON.stringify(name)} already exists and is not replaced. Use another name.`,
    );
  return place;
}

function isOutside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

function outside(root: string, name: string): ToolRefusal {
  return new ToolRefusal(
    'file_refused',
    `${JSON.stringify(name)} is not a file inside ${root}. Files are saved only there.`,
  );
}
