import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from './folder-lock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-lock-'));
});
afterEach(() => rm(folder, { recursive: true }));

const HOLDER = join(import.meta.dirname, '../../test/lock-holder.mjs');

/** What a process says that was started on the folder: "locked", or why not. */
async function said(child: ChildProcess): Promise<string> {
  const [message] = (await once(child, 'message')) as [string];
  return message;
}

const STDIO = ['ignore', 'pipe', 'inherit', 'ipc'] as const;
const start = (): ChildProcess => fork(HOLDER, [folder], { execArgv: [], stdio: [...STDIO] });

async function kill(child: ChildProcess): Promise<void> {
  // Not "exit", which is the end of `unshare`: the pipe is closed when the process inside is gone too.
  const gone = once(child, 'close');
  child.stdout?.resume();
  child.kill('SIGKILL');
  await gone;
}

it('one at a time: the second is told who has it, and gets it afterwards', async () => {
  const unlock = await lockFolder(folder);
  await expect(lockFolder(folder)).rejects.toThrow(`in use by process ${process.pid}`);
  await unlock();
  const again = await lockFolder(folder);
  // What is unlocked already stays so: by now the same file number may be the new lock's.
  await unlock();
  await expect(lockFolder(folder)).rejects.toThrow('in use');
  await again();
});

it('between processes, and over as soon as the owner is killed', async () => {
  const owner = start();
  expect(await said(owner)).toBe('locked');
  await expect(lockFolder(folder)).rejects.toThrow(`in use by process ${owner.pid}`);
  await kill(owner);
  await (
    await lockFolder(folder)
  )();
});

it('of many that start at once after a kill exactly one gets it', async () => {
  for (let round = 0; round < 3; round++) {
    const children = Array.from({ length: 6 }, start);
    const answers = await Promise.all(children.map(said));
    expect(answers.filter((answer) => answer === 'locked')).toHaveLength(1);
    await Promise.all(children.map(kill));
  }
});

it('a file that an earlier version or another machine left is no lock', async () => {
  await writeFile(join(folder, 'millrace.lock'), '{"host":"elsewhere","pid":1,"started":"1"}');
  await (
    await lockFolder(folder)
  )();
});

it('a folder with a long name, as no socket could have it', async () => {
  const long = join(folder, 'a'.repeat(100), 'b'.repeat(100));
  const unlock = await lockFolder(long);
  await expect(lockFolder(long)).rejects.toThrow('in use');
  await unlock();
});

it('says what to do where it cannot write', async () => {
  await writeFile(join(folder, 'file'), '');
  await expect(lockFolder(join(folder, 'file'))).rejects.toThrow(
    /cannot be written to \((EEXIST|ENOTDIR)\).*MILLRACE_DATA/,
  );
});

/** Namespaces of its own need Linux, and more rights than most users have. */
const NAMESPACES = ['--pid', '--uts', '--fork', '--kill-child', '--mount-proc'];
const RENAMED = 'hostname "$0" && exec "$@"';
const hasNamespaces = spawnSync('unshare', [...NAMESPACES, 'true']).status === 0;

describe.runIf(hasNamespaces)('containers on one machine that share the folder', () => {
  const container = (hostName: string): ChildProcess =>
    spawn(
      'unshare',
      [...NAMESPACES, 'sh', '-c', RENAMED, hostName, process.execPath, HOLDER, folder],
      { stdio: [...STDIO] },
    );

  it('with one host name and the same process id', async () => {
    const [one, other] = [container('same'), container('same')];
    const answers = await Promise.all([one, other].map(said));
    expect(answers.toSorted()).toEqual([expect.stringContaining('in use by process'), 'locked']);
    await Promise.all([one, other].map(kill));
  });

  it('a new one with another host name starts at once after the old one was killed', async () => {
    const old = container('old');
    expect(await said(old)).toBe('locked');
    const early = container('new');
    expect(await said(early)).toContain('in use by process 1 on old');
    await Promise.all([old, early].map(kill));
    const late = container('new');
    expect(await said(late)).toBe('locked');
    await kill(late);
  });
});
