import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { browserOpener } from './browser.ts';

afterEach(() => vi.unstubAllEnvs());

describe('the browser', () => {
  test.each([
    ['linux', {}, false],
    ['linux', { DISPLAY: ':0' }, true],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
    ['linux', { DISPLAY: '' }, false],
    ['darwin', {}, true],
    ['darwin', { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, false],
    ['win32', {}, true],
  ] as const)('of %s with %o is there: %s', (platform, env, expected) => {
    expect(browserOpener(platform, env) !== null).toBe(expected);
  });

  test('gets the address as it is, whatever stands in it', async () => {
    const place = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
    onTestFinished(() => rm(place, { recursive: true }));
    const program = `#!${process.execPath}\nfetch(process.argv[2]);\n`;
    await writeFile(join(place, 'xdg-open'), program);
    await chmod(join(place, 'xdg-open'), 0o755);
    vi.stubEnv('PATH', place);
    const asked = new Promise<string | undefined>((resolve) => {
      const server = createServer((request, response) => {
        resolve(request.url);
        response.end();
      });
      onTestFinished(() => void server.close());
      server.listen(0, '127.0.0.1', () => {
        const { port } = server.address() as AddressInfo;
        browserOpener('linux', { DISPLAY: ':0' })?.(`http://127.0.0.1:${port}/?a=1&b=$(id);c`);
      });
    });
    expect(await asked).toBe('/?a=1&b=$(id);c');
  });

  test('that is missing breaks nothing', async () => {
    vi.stubEnv('PATH', '/nowhere');
    browserOpener('linux', { DISPLAY: ':0' })?.('http://127.0.0.1/');
    // The failure comes as an event: unheard, it would end the process.
    await new Promise((resolve) => setImmediate(resolve));
  });
});
