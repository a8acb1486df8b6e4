import { chmod, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { SCRIPT, nameIn, protectedFixture } from '../../test/signed-in.ts';
import { createPrivateFiles } from '../private-files.ts';

describe('the client of the sandbox', () => {
  test('is used without a word', async () => {
    const { millrace, server, writeLocalClient } = await protectedFixture();
    await writeLocalClient();
    expect(await millrace('jobs')).toMatchObject({ code: 0, stderr: '' });
    expect(server.tokens.map(nameIn)).toEqual([SCRIPT.id]);
  });

  test.each([
    [
      'of another port',
      (url: string) => url.replace(/\d$/, (digit) => (digit === '1' ? '2' : '1')),
    ],
    ['of another scheme', (url: string) => url.replace('http', 'https')],
    ['of another name', (url: string) => url.replace('127.0.0.1', 'localhost')],
    ['of none', () => 'nowhere'],
  ])('%s is left alone', async (_, change) => {
    const { millrace, server, writeLocalClient, identity } = await protectedFixture();
    await writeLocalClient({ url: change(server.url) });
    expect(await millrace('jobs')).toMatchObject({
      code: 6,
      stderr: 'Sign in first: millrace login\n',
    });
    expect(identity.requests.token).toBe(0);
  });

  test.each([0o640, 0o604, 0o620])(
    'that others may read or write (%o) is left alone',
    async (mode) => {
      const { millrace, writeLocalClient, identity, folder } = await protectedFixture();
      await writeLocalClient();
      await chmod(`${folder}/client.json`, mode);
      const ran = await millrace('jobs');
      expect(ran.code).toBe(6);
      expect(ran.stderr).toMatch(/^Others may read \S+client\.json\./);
      expect(identity.requests.token).toBe(0);
    },
  );

  test('that belongs to another user is left alone', async () => {
    const { millrace, writeLocalClient, identity } = await protectedFixture();
    await writeLocalClient();
    const files = createPrivateFiles((process.getuid?.() ?? 0) + 1);
    const ran = await millrace('jobs', { files });
    expect(ran.stderr).toMatch(/client\.json belongs to another user\./);
    expect(identity.requests.token).toBe(0);
  });

  test('that is broken is told, and left alone', async () => {
    const { millrace, folder } = await protectedFixture();
    await writeFile(`${folder}/client.json`, '{"clientSecret": "half', { mode: 0o600 });
    const ran = await millrace('jobs');
    expect(ran.stderr).toMatch(/client\.json cannot be used\. "npm start" writes it anew\.\n/);
    expect(ran.stderr).not.toContain('half');
  });

  test('of a sandbox that has ended does not hide that nothing listens', async () => {
    const { millrace, writeLocalClient, identity, server } = await protectedFixture();
    await writeLocalClient();
    await Promise.all([identity.close(), server.stop()]);
    const ran = await millrace('jobs');
    expect(ran.code).toBe(5);
    expect(ran.stderr).toMatch(/^No Millrace at \S+: nothing listens there\./);
  });
});
