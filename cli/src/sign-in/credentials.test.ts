import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startContractServer } from '../../test/contract-server.ts';
import { MINUTE } from '../../test/jobs.ts';
import { type Protected, login, protectedFixture } from '../../test/signed-in.ts';
import { createPrivateFiles } from '../connection/private-files.ts';

async function rewrite({ credentialsFile }: Protected, text: string) {
  await mkdir(dirname(credentialsFile), { recursive: true });
  await writeFile(credentialsFile, text, { mode: 0o600 });
}

describe('a sign-in', () => {
  test('is refreshed silently when it is about to end, and kept', async () => {
    const fixture = await protectedFixture();
    const { millrace, server, clock, credentials, credentialsFile } = fixture;
    const before = await login(fixture);
    expect((await millrace('jobs')).code).toBe(0);
    expect(server.tokens).toEqual([before.accessToken]);
    clock.now += 59.5 * MINUTE;
    expect(await millrace('jobs')).toMatchObject({ code: 0, stderr: '' });
    const after = (await credentials())[server.url];
    expect(server.tokens.at(-1)).toBe(after?.accessToken);
    expect(after?.accessToken).not.toBe(before.accessToken);
    expect(after?.refreshToken).not.toBe(before.refreshToken);
    expect(after?.expiresAt).toBe(new Date(clock.now + 60 * MINUTE).toISOString());
    expect((await stat(credentialsFile)).mode & 0o777).toBe(0o600);
    // Long after it has ended, too.
    clock.now += 10 * 60 * MINUTE;
    expect(await millrace('jobs')).toMatchObject({ code: 0, stderr: '' });
  });

  test('whose refresh is refused says to sign in again', async () => {
    const fixture = await protectedFixture();
    const { millrace, clock, server } = fixture;
    const kept = await login(fixture);
    clock.now += 25 * 60 * MINUTE;
    const ran = await millrace('jobs');
    expect(ran).toMatchObject({ code: 6, stdout: '' });
    expect(ran.stderr).toMatch(
      /^The issuer \S+ refuses: invalid_grant .* Sign in again: millrace login\n$/,
    );
    expect(ran.stderr).not.toContain(kept.refreshToken);
    expect(server.requests).toEqual([]);
    const json = await millrace('jobs --json');
    expect(JSON.parse(json.stderr)).toMatchObject({ code: 'sign_in_needed' });
  });

  test('that cannot be refreshed says so when it has ended', async () => {
    const fixture = await protectedFixture();
    const { millrace, clock, server } = fixture;
    const kept = await login(fixture);
    await rewrite(fixture, JSON.stringify({ [server.url]: { ...kept, refreshToken: null } }));
    clock.now += 59.5 * MINUTE;
    expect((await millrace('jobs')).code).toBe(0);
    clock.now += MINUTE;
    expect(await millrace('jobs')).toMatchObject({
      code: 6,
      stderr: 'Your sign-in has expired. Sign in again: millrace login\n',
    });
  });

  test('is used to its end while the issuer is away', async () => {
    const fixture = await protectedFixture();
    const { millrace, clock, identity } = fixture;
    await login(fixture);
    identity.faults.add({ kind: 'token-down' });
    clock.now += 59.5 * MINUTE;
    expect(await millrace('jobs')).toMatchObject({ code: 0, stderr: '' });
    clock.now += MINUTE;
    const ran = await millrace('jobs');
    expect(ran.code).toBe(5);
    expect(ran.stderr).toMatch(/^The issuer \S+ is unavailable: it answered 503/);
  });

  test('is refreshed once by runs at the same time: a refresh token is spent only once', async () => {
    const fixture = await protectedFixture();
    const { millrace, clock, identity, server } = fixture;
    await login(fixture);
    clock.now += 59.5 * MINUTE;
    const before = identity.requests.token;
    let isHeld = () => {};
    const held = new Promise<void>((resolve) => (isHeld = resolve));
    let isMet = () => {};
    const met = new Promise<void>((resolve) => (isMet = resolve));
    // The first asks the issuer only when the second has met it.
    const first = millrace('jobs', {
      async fetch(input, init) {
        isHeld();
        if (init?.method === 'POST') await met;
        return fetch(input, init);
      },
    });
    await held;
    const second = millrace('jobs', {
      async onWait() {
        isMet();
        await first;
      },
    });
    const [a, b] = await Promise.all([first, second]);
    expect([a.code, b.code]).toEqual([0, 0]);
    expect(identity.requests.token).toBe(before + 1);
    expect(server.tokens[0]).toBe(server.tokens[1]);
  });

  test('for one server is not sent to another', async () => {
    const fixture = await protectedFixture();
    const { millrace } = fixture;
    await login(fixture);
    await fixture.writeRunning();
    const other = await startContractServer({ listJobs: () => ({ jobs: [], next: null }) });
    onTestFinished(() => other.stop());
    expect((await millrace(`jobs --url ${other.url}`)).code).toBe(0);
    expect(other.tokens).toEqual([null]);
  });

  test('is found again however the address is written', async () => {
    const fixture = await protectedFixture();
    const { millrace, server } = fixture;
    const { accessToken } = await login(fixture);
    await millrace(`jobs --url ${server.url.replace('http', 'HTTP')}//`);
    expect(server.tokens).toEqual([accessToken]);
  });

  test.each([
    ['{"http', 'has an unknown format'],
    ['[]', 'has an unknown format'],
    ['{"http://x":{"accessToken":"abc"}}', 'has an unknown format'],
  ])('in a broken file is told, and counts as none: %s', async (text, words) => {
    const fixture = await protectedFixture();
    const { millrace, credentialsFile } = fixture;
    await rewrite(fixture, text);
    const ran = await millrace('jobs');
    expect(ran.code).toBe(6);
    expect(ran.stderr).toBe(
      `No sign-in is used: ${credentialsFile} ${words}. "millrace login" writes a new one.\nSign in first: millrace login\n`,
    );
    await login(fixture);
    expect(await millrace('jobs')).toMatchObject({ code: 0, stderr: '' });
  });

  test('that others may read is not used', async () => {
    const fixture = await protectedFixture();
    const { millrace, server, credentialsFile } = fixture;
    await login(fixture);
    await chmod(credentialsFile, 0o644);
    const ran = await millrace('jobs');
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain(`Others may read ${credentialsFile}. "chmod 600" closes it.`);
    expect(server.tokens).toEqual([null]);
    const ofRoot = createPrivateFiles((process.getuid?.() ?? 0) + 1);
    await chmod(credentialsFile, 0o600);
    expect((await millrace('jobs', { files: ofRoot })).stderr).toContain('belongs to another user');
  });
});
