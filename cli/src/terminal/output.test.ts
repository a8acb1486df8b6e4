import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { PDF, documentsFixture } from '../../test/documents.ts';
import { addressOf } from '../../test/tamper.ts';
import { fileNameOf } from './output.ts';

describe('the name of a file', () => {
  test.each([
    ['Invoice 1', 'Invoice 1.pdf'],
    ['Invoice 1.PDF', 'Invoice 1.pdf'],
    ['../../etc/passwd', '_.._etc_passwd.pdf'],
    ['C:\\x', 'C__x.pdf'],
    ['.hidden', 'hidden.pdf'],
    ['a\u0000b\u202Ec', 'a_b_c.pdf'],
    ['Größe', 'Größe.pdf'],
    ['..', 'document.pdf'],
  ])('made of %j stays in its folder: %s', (asked, name) => {
    expect(fileNameOf(asked, 'pdf')).toBe(name);
  });
});

describe('--force', () => {
  const line = 'generate --template invoice --data - --force -o';

  test('keeps what is there until its successor is whole', async () => {
    const { millrace, folder } = await documentsFixture();
    const path = join(folder, 'out.pdf');
    await writeFile(path, 'mine');
    const cut: typeof fetch = async (input, init) => {
      if (!addressOf(input).endsWith('/content')) return fetch(input, init);
      async function* half() {
        yield Buffer.from('%PDF');
        throw new TypeError('terminated');
      }
      return new Response(ReadableStream.from(half()), { status: 200 });
    };
    expect((await millrace(`${line} ${path}`, { stdin: '{}', fetch: cut })).code).toBe(5);
    expect(await readFile(path, 'utf8')).toBe('mine');
    expect((await millrace(`${line} ${path}`, { stdin: '{}' })).code).toBe(0);
    expect((await readFile(path)).equals(PDF)).toBe(true);
    expect(await readdir(folder)).toEqual(['out.pdf']);
  });

  test('writes into a pipe instead of putting a file in its place', async () => {
    const { millrace, folder } = await documentsFixture();
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const read = text(createReadStream(path));
    expect((await millrace(`${line} ${path}`, { stdin: '{}' })).code).toBe(0);
    expect(await read).toBe(PDF.toString());
    expect((await stat(path)).isFIFO()).toBe(true);
  });
});
