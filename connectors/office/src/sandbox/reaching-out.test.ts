import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { letter, picturesIn, reachingOut, textOf, withMacro } from '../../test/documents.ts';
import { type Layers, convertWith } from '../../test/layers.ts';
import { openTestOffice, temporaryFolder } from '../../test/world.ts';
import { encodePng } from '../program/thumbnail.ts';

// A document must not make LibreOffice fetch or run anything. Layers see to that: the profile, the sandbox, the
// options of loading. Each is tested without the others, and the canary without all: it would sing.

vi.setConfig({ testTimeout: 120_000 }); // a LibreOffice with an empty profile takes its time to start

async function listen(): Promise<{ url: string; port: number; heard: string[] }> {
  const heard: string[] = [];
  const server: Server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url}`);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/canary.png`, port, heard };
}

/** A picture on this machine that no document may show. */
function secretPicture(): string {
  const file = join(temporaryFolder(), 'secret.png');
  writeFileSync(
    file,
    encodePng(Buffer.alloc(50 * 50 * 4, 200), { width: 50, height: 50, order: 'rgba' }),
  );
  return pathToFileURL(file).href;
}

test('in the pool nothing is fetched, over the network or from the disk', async () => {
  const { url, heard } = await listen();
  const { office } = await openTestOffice();
  const { pdf } = await office.convert(reachingOut([url, secretPicture()]));
  await office.thumbnail(reachingOut([url]), { width: 100 });
  expect(heard).toEqual([]);
  expect(textOf(pdf)).toContain('Reaching out');
  expect(picturesIn(pdf)).toBe(0);
});

test('the canary sings where neither profile nor sandbox is in the way', async () => {
  const { url, heard } = await listen();
  const pdf = await convertWith({ profile: 'plain' }, reachingOut([url, secretPicture()]));
  expect(heard).toContain('GET /canary.png');
  expect(picturesIn(pdf)).toBe(1);
});

test('the profile alone keeps it silent, and files unread', async () => {
  const { url, heard } = await listen();
  const pdf = await convertWith({ profile: 'ours' }, reachingOut([url, secretPicture()]));
  expect(heard).toEqual([]);
  expect(picturesIn(pdf)).toBe(0);
});

test('the sandbox alone keeps it silent', async () => {
  const { url, heard } = await listen();
  const pdf = await convertWith({ profile: 'plain', network: 'closed' }, reachingOut([url]));
  expect(heard).toEqual([]);
  expect(textOf(pdf)).toContain('Reaching out');
});

test('a macro runs without our profile and options; either of them keeps it silent', async () => {
  const song = join(temporaryFolder(), 'song');
  const sings = async (layers: Layers) => {
    await convertWith(layers, withMacro(song), 'in.fodt');
    const sung = existsSync(song);
    rmSync(song, { force: true });
    return sung;
  };
  // LibreOffice starts it once the document is there, and on a busy machine may be done before.
  let sung = false;
  for (let tries = 0; tries < 5 && !sung; tries += 1)
    sung = await sings({ profile: 'plain', options: 'reckless' });
  expect(sung).toBe(true);
  expect(await sings({ profile: 'ours', options: 'reckless' })).toBe(false);
  expect(await sings({ profile: 'plain' })).toBe(false);
});

test('under the filter there are no sockets and no programs, for no thread, and no waiting for the disk', async () => {
  const { port } = await listen();
  const results = await Promise.all(
    ['strict', 'no-network'].map(async (level) => {
      const script = fileURLToPath(new URL('../../test/filtered.mjs', import.meta.url));
      const child = spawn(process.execPath, [script, level, String(port)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.on('data', (data: Buffer) => (output += data.toString()));
      await once(child, 'close');
      return JSON.parse(output) as object;
    }),
  );
  const refused = {
    installed: true,
    otherThread: 'EACCES',
    tcp4: 'EACCES',
    tcp6: 'EACCES',
    udp4: 'EACCES',
    udp6: 'EACCES',
    fsync: 'pretended',
    fdatasync: 'pretended',
  };
  expect(results).toEqual([
    { ...refused, local: 'EACCES', program: 'EACCES' },
    { ...refused, local: 'ENOENT', program: 'ran' },
  ]);
});

test('the service hands none of its secrets to LibreOffice', async () => {
  process.env['OFFICE_TEST_SECRET'] = 'hush';
  onTestFinished(() => void delete process.env['OFFICE_TEST_SECRET']);
  const { office } = await openTestOffice();
  await office.convert(letter('x'));
  const [{ pid } = { pid: 0 }] = office.stats().processes;
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('hush');
});
