import { constants } from 'node:fs';
import { lchown, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Account } from '../sandbox/account.ts';
import { OfficeError } from '../errors.ts';

/**
 * How a document comes to a process and its result back: by files in the folder of the process, where nothing may be taken for
 * what it should be. A document that took its process over could have put a link or a pipe there.
 */
export interface Handover {
  readonly input: string;
  readonly output: string;
  /** The result. */
  take(): Promise<Uint8Array>;
  remove(): Promise<void>;
}

const NAME_BYTES = 255;
/** The name of a document that nobody gave a name: Word's FILENAME field prints it. */
const UNNAMED = 'document.pdf';

/** The document gets a folder of its own, so that it can have any name there. */
export async function handOver(params: {
  readonly folder: string;
  readonly place: string;
  readonly name: string | undefined;
  readonly bytes: Uint8Array;
  readonly account: Account | null;
}): Promise<Handover> {
  const { folder, place, name = UNNAMED, bytes, account } = params;
  const own = join(folder, place);
  const input = join(own, name);
  const output = join(folder, `${place}.out`);
  await mkdir(own, { mode: 0o700 });
  await writeFile(input, bytes, { mode: 0o600, flag: 'wx' });
  if (account !== null) {
    await lchown(input, account.uid, account.gid);
    await lchown(own, account.uid, account.gid);
  }
  return {
    input,
    output,
    take: () => readPlainFile(output),
    async remove() {
      await rm(own, { recursive: true, force: true });
      await rm(output, { force: true });
    },
  };
}

async function readPlainFile(path: string): Promise<Uint8Array> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error('What LibreOffice left is not a file.');
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Throws `unsupported_option` for what cannot be a file's name. */
export function refuseName(name: string | undefined): void {
  if (name === undefined) return;
  const isPlain = name !== '' && name !== '.' && name !== '..' && basename(name) === name;
  if (isPlain && !name.includes('\u0000') && Buffer.byteLength(name) <= NAME_BYTES) return;
  throw new OfficeError(
    'unsupported_option',
    `A document's name is 1 to ${NAME_BYTES} bytes long and has no path in it.`,
  );
}
