import { readFile, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** A file of the folder that ends like YAML: its text, or a sentence why there is none. */
export interface FoundFile {
  readonly file: string;
  /** Null: no definition can have this name. */
  readonly name: string | null;
  readonly text: string | null;
  readonly why: string | null;
}

/** Far more than people write by hand; parsing so much takes some 50 ms. */
export const MOST_BYTES = 256 * 1024;
const MOST_NAME = 100;

/**
 * The YAML files of a folder, in the order of their names; of its subfolders none. Files of editors (`.x.yaml.swp`, `x.yaml~`,
 * `#x.yaml#`) do not end so, or begin with a point. Throws where the folder is there and cannot be read.
 */
export async function readFolder(folder: string): Promise<FoundFile[]> {
  const files = (await namesIn(folder)).filter(
    (file) => /\.ya?ml$/i.test(file) && !file.startsWith('.'),
  );
  const found = await Promise.all(files.toSorted().map((file) => readOne(folder, file)));
  return withoutTwins(found.filter((each) => each !== null));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

async function readOne(folder: string, file: string): Promise<FoundFile | null> {
  const name = file.replace(/\.ya?ml$/, '');
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name) || name.length > MOST_NAME) {
    const why = `The name of a file is the name of what it defines: small letters, digits and hyphens, then .yaml. Rename it, such as to ${betterName(file)}.`;
    return { file, name: null, text: null, why };
  }
  try {
    return { file, name, text: await textOf(folder, file), why: null };
  } catch (error) {
    // Gone since the folder was read, or a link to nothing.
    if (codeOf(error) === 'ENOENT') return null;
    return { file, name, text: null, why: whyOf(error) };
  }
}

function betterName(file: string): string {
  const words = file
    .replace(/\.ya?ml$/i, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((each) => each !== '');
  return `${words.join('-').slice(0, MOST_NAME) || 'name'}.yaml`;
}

class Unfit extends Error {}

async function textOf(folder: string, file: string): Promise<string> {
  // A link within the folder is fine: Kubernetes puts the files of a ConfigMap there by links.
  const real = await realpath(join(folder, file));
  if (!real.startsWith((await realpath(folder)) + sep))
    throw new Unfit('This is a link to a place outside of the folder. Put the file itself here.');
  const bytes = await bytesOf(real);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Unfit('This is no UTF-8. Save the file with the encoding UTF-8.');
  }
}

/** Looked at before it is opened: a pipe that nobody writes to would be read for ever. */
async function bytesOf(path: string): Promise<Uint8Array> {
  const found = await stat(path);
  if (!found.isFile()) throw new Unfit('This is no file. Give the folder or device another name.');
  if (found.size > MOST_BYTES)
    throw new Unfit(`The file has ${found.size} bytes, and ${MOST_BYTES} at most are read.`);
  return readFile(path);
}

/** `x.yaml` and `x.yml` would be two definitions of one name: the first one counts. */
function withoutTwins(files: readonly FoundFile[]): FoundFile[] {
  const byName = new Map<string, string>();
  return files.map((each) => {
    if (each.name === null) return each;
    const twin = byName.get(each.name);
    byName.set(each.name, twin ?? each.file);
    if (twin === undefined) return each;
    const why = `${twin} has the same name, and is the one that counts. Remove one of the two.`;
    return { ...each, name: null, text: null, why };
  });
}

function whyOf(error: unknown): string {
  if (error instanceof Unfit) return error.message;
  if (codeOf(error) === 'EACCES' || codeOf(error) === 'EPERM')
    return 'The process may not read this file. Give its user the right to.';
  if (codeOf(error) === 'ELOOP') return 'This is a link that leads to itself. Put a file here.';
  return `The file cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
