import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { aFolder } from '../../test/agents.ts';
import type { Context } from '../context.ts';
import { type Folder, openFolder } from './folder.ts';

let root: string;
let elsewhere: string;
let folder: Folder;

beforeEach(async () => {
  const place = await aFolder();
  root = join(place, 'files');
  elsewhere = join(place, 'elsewhere');
  await mkdir(join(root, 'below'), { recursive: true });
  await mkdir(elsewhere);
  const world = { folder: place, interrupted: new AbortController().signal };
  folder = await openFolder({ world } as Context, 'files');
});

test('files are made in the folder and below it', async () => {
  for (const name of ['a.csv', 'below/b.csv', 'below/../c.csv', '..d.csv']) {
    const place = await folder.open(name);
    expect(await place.write([Buffer.from(name)])).toBe(name.length);
    expect(await readFile(join(root, name), 'utf8')).toBe(name);
  }
});

test.each(['..', '.', '', '../files2/a', '/etc/passwd', 'below/../../a', 'missing/a'])(
  '"%s" is refused',
  async (name) => {
    await expect(folder.open(name)).rejects.toMatchObject({ code: 'file_refused' });
  },
);

test('no link leads out of it, and no file is replaced', async () => {
  await symlink(elsewhere, join(root, 'out'));
  await symlink(join(elsewhere, 'new'), join(root, 'dangling'));
  await writeFile(join(root, 'there'), 'old');
  for (const name of ['out/a', 'dangling', 'there', 'below'])
    await expect(folder.open(name)).rejects.toMatchObject({ code: 'file_refused' });
  expect(await readdir(elsewhere)).toEqual([]);
  expect(await readFile(join(root, 'there'), 'utf8')).toBe('old');
});
