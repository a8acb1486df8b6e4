import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SCRIPT, nameIn, protectedFixture } from '../../test/signed-in.ts';
import { NOW } from '../../test/jobs.ts';
import { createPrivateFiles } from './private-files.ts';

const NOBODY = 'http://127.0.0.1:1';

describe('a server of this user that runs here', () => {
  test.each([
    ['is found from any folder and at any port', { unnamed: true }],
    ['lets in whoever names it', {}],
  ])('%s', async (_, surroundings) => {
    const { millrace, server, writeRunning } = await protectedFixture();
    await writeRunning();
    expect(await millrace('jobs', surroundings)).toMatchObject({ code: 0, stderr: '' });
    expect(server.tokens.filter((token) => token !== null).map(nameIn)).toEqual([SCRIPT.id]);
  });

  test('is meant by localhost', async () => {
    const { millrace, server, writeRunning } = await protectedFixture();
    await writeRunning();
    const url = server.url.replace('127.0.0.1', 'localhost');
    const ran = await millrace(`whoami --url ${url}`);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain(server.url);
  });

  test('is not asked where another one is named', async () => {
    const { millrace, server, writeRunning } = await protectedFixture();
    await writeRunning();
    const ran = await millrace('jobs', { env: { MILLRACE_URL: NOBODY } });
    expect(ran.code).toBe(5);
    expect(server.requests).toEqual([]);
  });

  test.each([
    [
      'of another port',
      (url: string) => url.replace(/\d$/, (digit) => (digit === '1' ? '2' : '1')),
    ],
    ['of another scheme', (url: string) => url.replace('http', 'https')],
    ['of none', () => 'nowhere'],
  ])('%s does not let in whoever names this one', async (_, change) => {
    const { millrace, server, writeRunning, identity } = await protectedFixture();
    await writeRunning({ url: change(server.url) });
    expect(await millrace('jobs')).toMatchObject({
      code: 6,
      stderr: 'Sign in first: millrace login\n',
    });
    expect(identity.requests.token).toBe(0);
  });
});

/** Another server of the same user, beside the one of `runningFile`. */
async function writeSecond(
  runningFile: string,
  { server, identity }: Awaited<ReturnType<typeof protectedFixture>>,
  started: { folder: string; startedAt: number },
): Promise<void> {
  const { issuer, scope } = identity;
  const client = { issuer, scope, clientId: SCRIPT.id, clientSecret: SCRIPT.secret };
  await createPrivateFiles(process.getuid?.() ?? null).write(
    join(runningFile, '../two.json'),
    JSON.stringify({ url: server.url, pid: 2, ...started, client, simulatedOrg: null }),
  );
}

describe('with several', () => {
  test('in one folder the newest is asked, which is said', async () => {
    const { millrace, server, runningFile, writeRunning } = await protectedFixture();
    const older = await protectedFixture();
    await writeRunning({ folder: '/srv/ours', startedAt: NOW });
    await writeSecond(runningFile, older, { folder: '/srv/ours', startedAt: NOW - 1_000 });
    const { stderr } = await millrace('jobs', { unnamed: true, folder: '/srv/ours/jobs' });
    expect(stderr).toBe(`Using ${server.url}, the newest of 2 servers running here.\n`);
    const named = await millrace('jobs', { folder: '/srv/ours' });
    expect(named.stderr).toBe('');
  });

  test('what asks none of them does not say so', async () => {
    const { millrace, runningFile, writeRunning } = await protectedFixture();
    const older = await protectedFixture();
    await writeRunning({ folder: '/srv/ours', startedAt: NOW });
    await writeSecond(runningFile, older, { folder: '/srv/ours', startedAt: NOW - 1_000 });
    const { stderr } = await millrace('help nothing', { unnamed: true, folder: '/srv/ours' });
    expect(stderr).toBe('Unknown command "nothing". See "millrace help".\n');
  });

  test('the one of this folder is asked, and the newest elsewhere, which is said', async () => {
    const { millrace, server, runningFile, writeRunning, identity } = await protectedFixture();
    const other = await protectedFixture();
    await writeRunning({ folder: '/srv/ours', startedAt: NOW - 1_000 });
    await writeSecond(runningFile, other, { folder: '/srv', startedAt: NOW });
    const asked = async (folder: string) => {
      const { stderr } = await millrace('token -q', { unnamed: true, folder });
      const { requests } = identity;
      return { stderr, ofThis: requests.token };
    };
    expect((await asked('/srv/ours/jobs')).ofThis).toBe(1);
    expect((await asked('/srv/ours-too')).ofThis).toBe(1);
    const { stderr } = await millrace('jobs', { unnamed: true, folder: '/elsewhere' });
    expect(stderr).toContain(`Using ${other.server.url}, the newest of 2 servers running here.\n`);
    expect(server.requests).not.toContain('GET /jobs?limit=20');
  });
});

describe('one that lives and does not answer is not passed over in silence', () => {
  /** Hangs until the time is over: that of the test is at once. */
  function silentAt(url: string, times = Infinity): typeof globalThis.fetch {
    let asked = 0;
    return (input, init) => {
      const isIt = new Request(input).url.startsWith(url);
      if (isIt) asked += 1;
      return isIt && asked <= times
        ? Promise.reject(new DOMException('late', 'TimeoutError'))
        : globalThis.fetch(input, init);
    };
  }

  test('the only one is waited for, which is said', async () => {
    const { millrace, server, writeRunning } = await protectedFixture();
    await writeRunning();
    const slow = await millrace('jobs', { unnamed: true, fetch: silentAt(server.url, 1) });
    expect(slow).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^Waiting for \S+ \(process \d+\), which is slow to answer\.\n/,
      ),
    });
    const never = await millrace('jobs -q', { unnamed: true, fetch: silentAt(server.url) });
    expect(never.code).toBe(5);
    expect(never.stderr).toMatch(/^The server at \S+ \(process \d+\) has not answered for 10 s\./);
  });

  test('of several, none is asked in its place', async () => {
    const first = await protectedFixture();
    const { millrace, server, runningFile, writeRunning } = first;
    const other = await protectedFixture();
    await writeRunning({ folder: '/srv/ours', startedAt: NOW });
    await writeSecond(runningFile, other, { folder: '/srv', startedAt: NOW - 1_000 });
    const ran = await millrace('jobs', {
      unnamed: true,
      folder: '/srv/ours',
      fetch: silentAt(server.url),
    });
    expect(ran.code).toBe(5);
    expect(ran.stderr).toContain(`The server at ${server.url} (process `);
    expect(ran.stderr).toContain(`such as --url ${other.server.url}`);
    expect(other.server.requests).not.toContain('GET /jobs?limit=20');
    const help = await millrace('help', { unnamed: true, fetch: silentAt(server.url) });
    expect(help.code).toBe(0);
  });
});

describe('the file of a process that was killed does not mislead', () => {
  test('when no process has its number', async () => {
    const { millrace, server, writeRunning } = await protectedFixture();
    await writeRunning({ pid: 77 });
    const ran = await millrace('jobs', { unnamed: true, processLives: (pid) => pid !== 77 });
    expect(ran.stderr).toMatch(/^No Millrace at http:\/\/127\.0\.0\.1:3000/);
    expect(server.requests).toEqual([]);
  });

  test('when another process has its port', async () => {
    const { millrace, signIn, writeRunning, identity } = await protectedFixture();
    await writeRunning();
    signIn.issuer = 'http://127.0.0.1:1/another';
    const ran = await millrace('jobs', { unnamed: true });
    expect(ran.stderr).toMatch(/^No Millrace at http:\/\/127\.0\.0\.1:3000/);
    expect(identity.requests.token).toBe(0);
  });

  test('when nothing listens there', async () => {
    const { millrace, writeRunning, identity, server } = await protectedFixture();
    await writeRunning();
    await Promise.all([identity.close(), server.stop()]);
    for (const command of ['jobs', 'token', 'whoami'])
      for (const unnamed of [true, false]) {
        const ran = await millrace(command, { unnamed });
        expect(ran.code).toBe(5);
        expect(ran.stderr).toMatch(/^No Millrace at \S+: nothing listens there\./);
      }
  });
});

describe('a file that cannot be trusted is left alone', () => {
  test.each([0o640, 0o604, 0o620])('others may read or write it (%o)', async (mode) => {
    const { millrace, writeRunning, identity, runningFile } = await protectedFixture();
    await writeRunning();
    await chmod(runningFile, mode);
    const ran = await millrace('jobs');
    expect(ran.code).toBe(6);
    expect(ran.stderr).toMatch(/^Others may read \S+one\.json\./);
    expect(identity.requests.token).toBe(0);
  });

  test('it belongs to another user', async () => {
    const { millrace, writeRunning, identity } = await protectedFixture();
    await writeRunning();
    const files = createPrivateFiles((process.getuid?.() ?? 0) + 1);
    const ran = await millrace('jobs', { files });
    expect(ran.stderr).toMatch(/one\.json belongs to another user\./);
    expect(identity.requests.token).toBe(0);
  });

  test('it is broken', async () => {
    const { millrace, writeRunning, runningFile } = await protectedFixture();
    await writeRunning();
    await writeFile(runningFile, '{"clientSecret": "half');
    const ran = await millrace('jobs');
    expect(ran.stderr).toMatch(/one\.json cannot be used\./);
    expect(ran.stderr).not.toContain('half');
  });
});
