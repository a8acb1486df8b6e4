import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'vitest';
import { watchFolder } from './watch.ts';

let folder: string;
let unwatch: () => void;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-watch-'));
  unwatch = () => {};
});
afterEach(() => {
  unwatch();
  rmSync(folder, { recursive: true, force: true });
});

/** Each call resolves when the next change has been told; one that is never told runs into the limit of the test. */
async function watching(watched: string): Promise<(change: () => void) => Promise<void>> {
  let heard = () => {};
  unwatch = await watchFolder(watched, () => heard(), 20);
  return (change) =>
    new Promise((resolve) => {
      heard = resolve;
      change();
    });
}

test('a file that is replaced again and again, edited, removed and made again is noticed each time', async () => {
  const file = join(folder, 'greet.ts');
  const replace = (text: string) => {
    writeFileSync(join(folder, '.greet.ts.new'), text);
    renameSync(join(folder, '.greet.ts.new'), file);
  };
  writeFileSync(file, 'a');
  const told = await watching(folder);
  await told(() => replace('b'));
  await told(() => replace('c'));
  await told(() => writeFileSync(file, 'd'));
  await told(() => utimesSync(file, new Date(), new Date()));
  await told(() => rmSync(file));
  await told(() => writeFileSync(file, 'e'));
  await told(() => replace('f'));
});

test('so is a file of the same size and time, one below, and one of a folder that comes later', async () => {
  const jobs = join(folder, 'jobs');
  const shared = join(jobs, 'shared/words.ts');
  const told = await watching(jobs);
  await told(() => {
    mkdirSync(join(jobs, 'shared'), { recursive: true });
    writeFileSync(shared, 'one');
  });
  const { atime, mtime } = statSync(shared);
  await told(() => {
    writeFileSync(shared, 'two');
    utimesSync(shared, atime, mtime);
  });
  await told(() => rmSync(jobs, { recursive: true }));
});
