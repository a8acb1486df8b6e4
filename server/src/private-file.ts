import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';

/** For the owner's eyes; whole or not at all. */
export async function writePrivate(file: string, value: object): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
}
