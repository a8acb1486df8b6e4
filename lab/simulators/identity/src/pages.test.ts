import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Page, signIn, submit, visit } from '../test/browser.ts';
import { authorizeUrl } from '../test/code-flow.ts';
import { ADA, OTTO, startWorld } from '../test/world.ts';

const radios = ({ text }: Page) => text.match(/type="radio"/g)?.length ?? 0;

describe('the sign-in page', () => {
  test('names the client, the users and their roles, and says what it is', async () => {
    const page = await visit(authorizeUrl(await startWorld()));
    expect(page.text).toContain('<h1>Millrace sandbox sign-in</h1>');
    expect(page.text).toContain('<b>The command line</b> asks you to sign in');
    expect(page.text).toContain('stand-in for Entra ID');
    expect(page.text).toMatch(/<b>Ada<\/b>[^]*admin[^]*<b>Otto<\/b>[^]*no role/);
    expect(radios(page)).toBe(2);
    expect(page.text).not.toContain('<script');
  });

  test('has a password field only when someone has a password', async () => {
    const users = [{ username: ADA, name: 'Ada', roles: [] }];
    const without = await visit(authorizeUrl(await startWorld({ users })));
    expect(without.text).not.toContain('type="password"');
    const withOne = await visit(authorizeUrl(await startWorld()));
    expect(withOne.text).toContain('type="password"');
    expect(withOne.text).not.toContain('open sesame');
  });

  test('chooses the user of login_hint', async () => {
    const page = await visit(authorizeUrl(await startWorld(), { login_hint: OTTO }));
    expect(page.text).toMatch(/value="otto@sandbox.test"\s+checked/);
    expect(page.text.match(/\schecked\s/g)).toHaveLength(1);
  });

  test('without users can only be left', async () => {
    const page = await visit(authorizeUrl(await startWorld({ users: [] })));
    expect(page.text).toContain('there are no users');
    expect((await submit(page, { action: 'cancel' })).location?.searchParams.get('error')).toBe(
      'access_denied',
    );
  });

  test('shows what it is given as text, whatever it is', async () => {
    const evil = `<img src=x onerror="alert('1')">&`;
    const shown = '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;';
    const world = await startWorld({
      users: [{ username: evil, name: evil, roles: [evil] }],
      clients: [{ id: 'cli', name: evil }],
    });
    const hostile = { state: evil, nonce: evil, login_hint: evil, prompt: evil };
    const page = await visit(authorizeUrl(world, hostile));
    expect(page.text).not.toContain('<img');
    expect(page.text.split(shown)).toHaveLength(6); // the client, the name, the role, the username and its radio button
    const again = await submit(page, { action: 'sign-in', username: `${evil}2` });
    expect(again.status).toBe(403);
    expect(again.text).not.toContain('<img');
  });

  test('cannot be framed, scripted, or made to post elsewhere', async () => {
    const { headers } = await visit(authorizeUrl(await startWorld()));
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).toContain("form-action 'self' http://127.0.0.1:7777");
    expect(policy).not.toMatch(/script-src|unsafe/);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
    });
  });

  test('has the one style that the policy allows, to the letter', async () => {
    const { headers, text } = await visit(authorizeUrl(await startWorld()));
    const [, style] = /<style>([^]*)<\/style>/.exec(text) ?? [];
    const hash = createHash('sha256')
      .update(style ?? '')
      .digest('base64');
    expect(headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}'`);
  });

  test('lets the form lead to an IPv6 address, which the policy cannot name', async () => {
    const world = await startWorld();
    const { headers } = await visit(authorizeUrl(world, { redirect_uri: 'http://[::1]:80/' }));
    expect(headers.get('content-security-policy')).toMatch(/form-action 'self' http:$/);
  });

  test('comes back with a word after a wrong password, and takes the right one then', async () => {
    const world = await startWorld();
    const wrong = await signIn(authorizeUrl(world), OTTO, 'open says me');
    expect([wrong.status, wrong.location]).toEqual([403, null]);
    expect(wrong.text).toContain('not the password');
    expect(wrong.text).toMatch(/value="otto@sandbox.test"\s+checked/);
    const right = { action: 'sign-in', username: OTTO, password: 'open sesame' };
    expect((await submit(wrong, right)).status).toBe(303);
  });

  test.each([
    ['no password', { username: OTTO }],
    ['an empty password', { username: OTTO, password: '' }],
    ['nobody', {}],
    ['an unknown user', { username: '__proto__', password: 'x' }],
  ])('does not let in: %s', async (_, fields) => {
    const page = await visit(authorizeUrl(await startWorld()));
    const after = await submit(page, { action: 'sign-in', ...fields });
    expect([after.status, after.location]).toEqual([403, null]);
  });
});

describe('the form', () => {
  test.each(['https://evil.test', 'null', 'http://127.0.0.1:1', 'http://localhost'])(
    'is not taken from %s',
    async (origin) => {
      const page = await visit(authorizeUrl(await startWorld()));
      const fields = { action: 'sign-in', username: ADA };
      expect((await submit(page, fields, origin)).status).toBe(403);
      expect((await submit(page, fields)).status).toBe(303); // nothing was spent
    },
  );

  test('is taken where the browser is: localhost is an origin of its own', async () => {
    const url = authorizeUrl(await startWorld());
    url.hostname = 'localhost';
    const { status, location } = await signIn(url, ADA);
    expect([status, location?.hostname]).toEqual([303, '127.0.0.1']);
  });

  test('works once, for ten minutes, and only with a transaction of ours', async () => {
    const world = await startWorld();
    const fields = { action: 'sign-in', username: ADA };
    const used = await visit(authorizeUrl(world));
    expect((await submit(used, fields)).status).toBe(303);
    const again = await submit(used, fields);
    expect([again.status, again.location]).toEqual([400, null]);
    expect(again.text).toContain('start again');
    const old = await visit(authorizeUrl(world));
    world.advance(600_000);
    expect((await submit(old, fields)).status).toBe(400);
    const made = await submit(await visit(authorizeUrl(world)), { ...fields, transaction: 'made' });
    expect(made.status).toBe(400);
  });

  test('cannot change what was asked for', async () => {
    const world = await startWorld();
    const { location } = await submit(await visit(authorizeUrl(world)), {
      action: 'sign-in',
      username: ADA,
      redirect_uri: 'http://evil.test',
      client_id: 'other-cli',
      state: 'mine',
    });
    expect(location?.host).toBe('127.0.0.1:7777');
    expect(location?.searchParams.get('state')).toBe('the state');
  });
});
