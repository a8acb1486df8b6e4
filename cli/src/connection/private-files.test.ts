import { execFileSync } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createPrivateFiles } from './private-files.ts';

const me = process.getuid?.() ?? null;

async function folder(): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
  onTestFinished(() => rm(place, { recursive: true }));
  return place;
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

describe('a private file', () => {
  test('is for its owner alone, and so is its folder', async () => {
    const place = await folder();
    const path = join(place, 'a/b/secret');
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    await createPrivateFiles(me).write(path, 'one');
    expect(await modeOf(path)).toBe(0o600);
    expect(await modeOf(join(place, 'a/b'))).toBe(0o700);
    expect(await createPrivateFiles(me).read(path)).toBe('one');
  });

  test('closes a folder and a file that were open before', async () => {
    const place = join(await folder(), 'open');
    const path = join(place, 'secret');
    await mkdir(place, { mode: 0o755 });
    await writeFile(path, 'old', { mode: 0o644 });
    await createPrivateFiles(me).write(path, 'new');
    expect([await modeOf(place), await modeOf(path)]).toEqual([0o700, 0o600]);
  });

  test('is replaced whole: who reads it sees the old or the new one', async () => {
    const place = await folder();
    const path = join(place, 'secret');
    const files = createPrivateFiles(me);
    await files.write(path, 'old');
    const { ino } = await stat(path);
    await files.write(path, 'new');
    // Another file under the same name, not the same file written over.
    expect((await stat(path)).ino).not.toBe(ino);
    expect(await readdir(place)).toEqual(['secret']);
  });

  test('leaves no draft where it cannot be written', async () => {
    const place = await folder();
    const path = join(place, 'secret');
    await mkdir(path); // a folder has its name
    await expect(createPrivateFiles(me).write(path, 'new')).rejects.toThrow();
    expect(await readdir(place)).toEqual(['secret']);
  });

  test('is not read where it is not there, open to others, or not ours', async () => {
    const path = join(await folder(), 'secret');
    expect(await createPrivateFiles(me).read(path)).toBeNull();
    await writeFile(path, 'text', { mode: 0o600 });
    await expect(createPrivateFiles((me ?? 0) + 1).read(path)).rejects.toThrow(
      'belongs to another user',
    );
    for (const mode of [0o640, 0o604, 0o660, 0o602]) {
      await chmod(path, mode);
      await expect(createPrivateFiles(me).read(path)).rejects.toThrow('Others may read');
    }
    // Windows knows neither.
    expect(await createPrivateFiles(null).read(path)).toBe('text');
  });

  test.skipIf(me === null)('is no pipe, which would be waited for, and no folder', async () => {
    const place = await folder();
    const pipe = join(place, 'pipe');
    execFileSync('mkfifo', ['-m', '600', pipe]);
    for (const path of [pipe, place])
      await expect(createPrivateFiles(me).read(path)).rejects.toThrow(`${path} is not a file`);
  });
});

describe('a lock', () => {
  test('is of one process at a time', async () => {
    const path = join(await folder(), 'secret');
    const [mine, other] = [createPrivateFiles(me), createPrivateFiles(me)];
    const release = await mine.lock(path);
    expect(release).not.toBeNull();
    expect(await other.lock(path)).toBeNull();
    await release?.();
    expect(await other.lock(path)).not.toBeNull();
  });

  test('that was left behind half a minute ago belongs to nobody', async () => {
    const path = join(await folder(), 'secret');
    const files = createPrivateFiles(me);
    await files.lock(path);
    const at = (secondsAgo: number) => Date.now() / 1_000 - secondsAgo;
    await utimes(`${path}.lock`, at(20), at(20));
    expect([await files.lock(path), await files.lock(path)]).toEqual([null, null]);
    await utimes(`${path}.lock`, at(31), at(31));
    expect(await files.lock(path)).toBeNull(); // taken away, for the next try
    expect(await files.lock(path)).not.toBeNull();
    expect(await readFile(`${path}.lock`, 'utf8')).toBe('');
  });
});
