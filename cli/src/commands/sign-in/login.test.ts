import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../test/contract-server.ts';
import { MINUTE, at } from '../../../test/jobs.ts';
import { type Page, cancelAt, signInAt, visit } from '../../../test/person.ts';
import { type Surroundings, documents } from '../../../test/run.ts';
import { ADA, PUBLIC_CLIENT, claimsOf, nameIn, protectedFixture } from '../../../test/signed-in.ts';
import { addressOf, tamper } from '../../../test/tamper.ts';

/** Someone at a screen, who does this with the address that opens. */
function atBrowser(act: (address: string) => Promise<Page>) {
  const pages: Promise<Page>[] = [];
  const surroundings: Surroundings = {
    terminal: 80,
    openBrowser: (address) => void pages.push(act(address)),
  };
  return { surroundings, pages: () => Promise.all(pages) };
}

describe('millrace login', () => {
  test('signs in with the browser, by code and PKCE, and keeps that for this server', async () => {
    const { millrace, server, credentials, credentialsFile, identity, signIn } =
      await protectedFixture();
    const asked: URLSearchParams[] = [];
    const { surroundings, pages } = atBrowser((address) => {
      asked.push(new URL(address).searchParams);
      return signInAt(address, ADA);
    });
    const ran = await millrace('login', surroundings);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toBe(
      `Signed in to ${server.url} as ${ADA} (operator). The token ends in 1 h.\n`.replace(
        '60 min',
        '1 h',
      ),
    );
    expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({
      response_type: 'code',
      client_id: PUBLIC_CLIENT,
      code_challenge_method: 'S256',
      redirect_uri: expect.stringMatching(/^http:\/\/localhost:\d+\/$/),
      scope: `openid profile offline_access ${signIn.scope}`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    const [page] = await pages();
    expect(page).toMatchObject({ status: 200 });
    expect(page?.text).toContain('You are signed in; you can close this window.');
    const kept = await credentials();
    expect(kept).toEqual({
      [server.url]: {
        issuer: identity.issuer,
        clientId: PUBLIC_CLIENT,
        accessToken: expect.any(String),
        refreshToken: expect.any(String),
        expiresAt: at(60 * MINUTE),
      },
    });
    const { accessToken = '', refreshToken = '' } = kept[server.url] ?? {};
    expect(nameIn(accessToken)).toBe(ADA);
    expect((await stat(credentialsFile)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(credentialsFile))).mode & 0o777).toBe(0o700);
    const said = ran.stdout + ran.stderr;
    for (const secret of [accessToken, refreshToken]) expect(said).not.toContain(secret);
    // The way back is closed.
    await expect(visit(asked[0]?.get('redirect_uri') ?? '')).rejects.toThrow();
  });

  test('takes no answer with another state, and goes on waiting', async () => {
    const { millrace, identity } = await protectedFixture();
    const refused: number[] = [];
    const { surroundings, pages } = atBrowser(async (address) => {
      const back = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
      for (const query of [
        '?code=abc&state=another',
        '?code=abc',
        '?error=access_denied&state=x',
      ]) {
        refused.push((await visit(new URL(query, back))).status);
      }
      refused.push((await visit(new URL('/favicon.ico', back))).status);
      return signInAt(address, ADA);
    });
    const ran = await millrace('login', surroundings);
    await pages();
    expect(ran.code).toBe(0);
    expect(refused).toEqual([400, 400, 400, 404]);
    expect(ran.stderr.match(/Ignored an answer/g)).toHaveLength(3);
    expect(identity.requests.token).toBe(1);
  });

  test.each([
    ['nonce', { nonce: 'another' }],
    ['audience', { aud: 'another' }],
    ['issuer', { iss: 'http://127.0.0.1:1/another' }],
  ])('takes no token with another %s', async (_, claims) => {
    const { millrace, credentials } = await protectedFixture();
    const { surroundings, pages } = atBrowser((address) => signInAt(address, ADA));
    const forged = tamper('/token', (answer) => {
      const [head, , signature] = String(answer['id_token']).split('.');
      const changed = { ...claimsOf(String(answer['id_token'])), ...claims };
      const body = Buffer.from(JSON.stringify(changed)).toString('base64url');
      return { ...answer, id_token: [head, body, signature].join('.') };
    });
    const ran = await millrace('login', { ...surroundings, fetch: forged });
    expect(ran.code).toBe(6);
    expect(ran.stderr).toMatch(/The issuer \S+ refuses: unexpected JWT claim value encountered/);
    expect((await pages())[0]?.text).toContain('Sign-in failed.');
    expect(await credentials()).toEqual({});
  });

  test('ends where the person refuses', async () => {
    const { millrace, credentials } = await protectedFixture();
    const { surroundings, pages } = atBrowser(cancelAt);
    const ran = await millrace('login', surroundings);
    expect(ran).toMatchObject({ code: 6, stdout: '' });
    expect(ran.stderr).toMatch(/refuses: access_denied \(The person refused to sign in\)\.\n$/);
    expect((await pages())[0]?.text).toContain('Sign-in failed.');
    expect(await credentials()).toEqual({});
  });

  test.each([
    ['while the browser opens', (interrupt: () => void) => interrupt()],
    ['while it waits', (interrupt: () => void) => void setImmediate(interrupt)],
  ])('ends at Ctrl-C %s', async (_, when) => {
    const { millrace, credentials } = await protectedFixture();
    let back = '';
    const ran = await millrace('login', {
      terminal: 80,
      openBrowser(address, interrupt) {
        back = new URL(address).searchParams.get('redirect_uri') ?? '';
        when(interrupt);
      },
    });
    expect(ran).toMatchObject({ code: 130, stdout: '' });
    expect(await credentials()).toEqual({});
    await expect(visit(back)).rejects.toThrow();
  });

  test('opens nothing with --no-browser, and shows the address', async () => {
    const { millrace } = await protectedFixture();
    const pages: Promise<Page>[] = [];
    const stderr: string[] = [];
    // The address is only said: whoever sits here copies it.
    const ran = await millrace('login --no-browser --json', {
      openBrowser: () => stderr.push('opened'),
      onSay(text) {
        const { address } = JSON.parse(text) as { address?: string };
        if (address !== undefined) pages.push(signInAt(address, ADA));
      },
    });
    expect(ran.code).toBe(0);
    expect(stderr).toEqual([]);
    expect(documents(ran.stdout)).toMatchObject([
      { address: expect.stringContaining('code_challenge=') },
      { name: ADA, roles: ['operator'] },
    ]);
    await Promise.all(pages);
  });

  test('says so and does nothing where nobody has to sign in', async () => {
    const { millrace, server, signIn, identity } = await protectedFixture();
    Object.assign(signIn, { required: false, issuer: null });
    expect(await millrace('login')).toMatchObject({
      code: 0,
      stdout: `${server.url} needs no sign-in.\n`,
    });
    expect(documents((await millrace('login --json')).stdout)).toEqual([
      { url: server.url, required: false },
    ]);
    expect(identity.requests.discovery).toBe(0);
  });

  test('says what else there is where people have no client', async () => {
    const { millrace, server, signIn } = await protectedFixture();
    signIn.clientId = null;
    const ran = await millrace('login');
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain(`${server.url} has no OAuth client for sign-in.`);
  });

  test.each([
    ['http://login.example/tenant', 'not https'],
    ['file:///etc/passwd', 'not https'],
    ['nonsense', 'not https'],
  ])('asks no issuer at %s', async (issuer, words) => {
    const { millrace, signIn, server } = await protectedFixture();
    signIn.issuer = issuer;
    const ran = await millrace('login', {
      fetch: (input, init) => {
        if (!addressOf(input).startsWith(server.url)) throw new Error('Not to be asked.');
        return fetch(input, init);
      },
    });
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain(words);
  });

  test.each(['token_endpoint', 'authorization_endpoint'])(
    'follows no %s in the clear',
    async (name) => {
      const { millrace } = await protectedFixture();
      const opened: string[] = [];
      const { surroundings } = atBrowser((address) => {
        opened.push(address);
        return signInAt(address, ADA);
      });
      const ran = await millrace('login', {
        ...surroundings,
        fetch: tamper('/openid-configuration', (document) => ({
          ...document,
          [name]: 'http://elsewhere.example/path',
        })),
      });
      expect(ran.code).toBe(6);
      expect(ran.stderr).toContain('one of its addresses is not https');
      expect(opened.join()).not.toContain('elsewhere.example');
    },
  );

  test('says why the sign-in cannot be kept', async () => {
    const { millrace, runningFile, writeRunning } = await protectedFixture();
    await writeRunning(); // a file where a folder would have to be
    const { surroundings } = atBrowser((address) => signInAt(address, ADA));
    const env = { XDG_CONFIG_HOME: runningFile };
    const ran = await millrace('login', { ...surroundings, env });
    expect(ran).toMatchObject({ code: 6, stdout: '' });
    expect(ran.stderr).toMatch(
      /The sign-in cannot be saved: \S+credentials\.json cannot be used \(ENOTDIR\)\.\n$/,
    );
  });

  test('says that MILLRACE_TOKEN comes first', async () => {
    const { millrace } = await protectedFixture();
    const { surroundings } = atBrowser((address) => signInAt(address, ADA));
    const env = { MILLRACE_TOKEN: 'another' };
    const { code, stdout, stderr } = await millrace('login', { ...surroundings, env });
    expect(code).toBe(0);
    expect(stdout).toContain(`as ${ADA}`);
    expect(stderr).toContain('MILLRACE_TOKEN is set and overrides this sign-in.');
  });

  test('is told where the server does not take the token', async () => {
    const { millrace, service } = await protectedFixture();
    service.handlers.me = () => {
      throw refusal('wrong_audience', 'The token is for another service.');
    };
    const { surroundings } = atBrowser((address) => signInAt(address, ADA));
    expect(await millrace('login', surroundings)).toMatchObject({ code: 6, stdout: '' });
  });
});
