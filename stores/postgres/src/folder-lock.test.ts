import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockFolder } from './folder-lock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-lock-'));
});
afterEach(() => rm(folder, { recursive: true }));

const leave = (owner: object): Promise<void> =>
  writeFile(join(folder, 'millrace.lock'), JSON.stringify(owner));

it('one at a time: the second is told who has it, and gets it afterwards', async () => {
  const unlock = await lockFolder(folder);
  await expect(lockFolder(folder)).rejects.toThrow(`in use by process ${process.pid}`);
  await unlock();
  await (
    await lockFolder(folder)
  )();
});

it('of many that try at once exactly one gets it, also over a lock that was left behind', async () => {
  await leave({ host: hostname(), pid: 2 ** 22 + 1, started: '1' });
  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(folder)));
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

it('a lock of a process that died, or whose id another has now, is taken', async () => {
  await leave({ host: hostname(), pid: 2 ** 22 + 1, started: '1' });
  await (
    await lockFolder(folder)
  )();
  await leave({ host: hostname(), pid: process.ppid, started: 'long ago' });
  const unlock = await lockFolder(folder);
  expect(await readFile(join(folder, 'millrace.lock'), 'utf8')).toContain(`"pid":${process.pid}`);
  await unlock();
});

it('a lock of another machine is believed', async () => {
  await leave({ host: 'elsewhere', pid: 1, started: '1' });
  await expect(lockFolder(folder)).rejects.toThrow('1 on elsewhere');
});
