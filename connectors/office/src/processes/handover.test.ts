import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/world.ts';
import { handOver, refuseName } from './handover.ts';

const bytes = Buffer.from('document');

test('a document has its name, and its result is taken', async () => {
  const folder = temporaryFolder();
  const files = await handOver({ folder, place: '7', name: 'Ä 1.pdf', bytes, account: null });
  expect(readFileSync(join(folder, '7', 'Ä 1.pdf'))).toEqual(bytes);
  writeFileSync(files.output, 'result');
  expect(Buffer.from(await files.take()).toString()).toBe('result');
  await files.remove();
  expect([existsSync(files.input), existsSync(files.output)]).toEqual([false, false]);
});

test('a result that is a link is not followed, and one that is a pipe is not waited for', async () => {
  const folder = temporaryFolder();
  const secret = join(folder, 'secret');
  writeFileSync(secret, 'secret');
  const place = (name: string) => ({ folder, place: name, name: undefined, bytes, account: null });
  const link = await handOver(place('1'));
  symlinkSync(secret, link.output);
  await expect(link.take()).rejects.toThrow('ELOOP');
  const pipe = await handOver(place('2'));
  execFileSync('mkfifo', [pipe.output]);
  await expect(pipe.take()).rejects.toThrow('not a file');
});

test.each(['', '.', '..', 'a/b', '/etc/passwd', 'a\u0000', 'x'.repeat(256)])(
  'a name that is none is refused: %j',
  (name) => {
    expect(() => refuseName(name)).toThrow(/has no path in it/);
  },
);
