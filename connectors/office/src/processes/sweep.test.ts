import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/world.ts';
import { makeWorkFolder, sweep } from './sweep.ts';

const ELEVEN_MINUTES_AGO = new Date(Date.now() - 11 * 60_000);

interface Owner {
  pid: number;
  startedAt: string;
  boot: string;
  namespace: string;
}

/** A folder like that of a pool, whose owner is this process but for the changes. */
async function folderOf(
  workdir: string,
  changes: Partial<Owner>,
  touched = new Date(),
): Promise<string> {
  const folder = await makeWorkFolder(workdir);
  onTestFinished(() => folder.remove());
  const file = join(folder.path, 'owner.json');
  const owner = JSON.parse(readFileSync(file, 'utf8')) as Owner;
  writeFileSync(file, JSON.stringify({ ...owner, ...changes }));
  utimesSync(file, touched, touched);
  mkdirSync(join(folder.path, '1'));
  return folder.path.slice(workdir.length + 1);
}

test('a folder is private, and gone when it is removed', async () => {
  const workdir = join(temporaryFolder(), 'new', 'place');
  const folder = await makeWorkFolder(workdir);
  // Others may pass through it to a folder of their own, and see nothing of it.
  expect(statSync(folder.path).mode & 0o777).toBe(0o711);
  await folder.remove();
  expect(readdirSync(workdir)).toEqual([]);
});

test('folders of dead processes go, those of living ones stay', async () => {
  const workdir = temporaryFolder();
  const child = spawn('true');
  await once(child, 'exit');
  const mine = await folderOf(workdir, {}, ELEVEN_MINUTES_AGO); // a busy owner may be late with its sign of life
  const dead = await folderOf(workdir, { pid: child.pid ?? 0 });
  const reused = await folderOf(workdir, { startedAt: '1' }); // the process id lives, as somebody else
  mkdirSync(join(workdir, 'not-ours'));
  expect((await sweep(workdir)).toSorted()).toEqual([dead, reused].toSorted());
  expect(readdirSync(workdir).toSorted()).toEqual([mine, 'not-ours'].toSorted());
});

test('from elsewhere only the sign of life counts', async () => {
  const workdir = temporaryFolder();
  const elsewhere = { pid: 1, startedAt: '1' };
  const living = await folderOf(workdir, { ...elsewhere, namespace: 'pid:[1]' });
  const otherMachine = await folderOf(workdir, { ...elsewhere, boot: 'other' });
  const gone = await folderOf(workdir, { ...elsewhere, boot: 'other' }, ELEVEN_MINUTES_AGO);
  expect(await sweep(workdir)).toEqual([gone]);
  expect(readdirSync(workdir).toSorted()).toEqual([living, otherMachine].toSorted());
});

test('a folder that is just being made stays, a work folder that is not there is empty', async () => {
  const workdir = temporaryFolder();
  mkdirSync(join(workdir, 'millrace-office-1-new'));
  const old = join(workdir, 'millrace-office-1-old');
  mkdirSync(old);
  utimesSync(old, ELEVEN_MINUTES_AGO, ELEVEN_MINUTES_AGO);
  expect(await sweep(workdir)).toEqual(['millrace-office-1-old']);
  expect(await sweep('/nowhere')).toEqual([]);
});
