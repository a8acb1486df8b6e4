import { describe, expect, test } from 'vitest';
import { signIn, visit } from '../test/browser.ts';
import { authorizeUrl, askToken } from '../test/code-flow.ts';
import { ADA, CALLBACK, startWorld } from '../test/world.ts';

describe('never a redirect to an address that is not the client’s', () => {
  test.each([
    'https://evil.test/callback',
    'http://evil.test/callback',
    'http://127.0.0.1.evil.test/callback',
    'http://127.0.0.1@evil.test/callback',
    'http://localhost@evil.test/',
    'http://user@127.0.0.1/callback',
    'http://127.0.0.1/callback#part',
    'http://127.0.0.1/callback#',
    'https://127.0.0.1/callback',
    'http:evil.test',
    '//evil.test',
    '/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'http://0.0.0.0/',
    'http://[::2]/',
    '',
    undefined,
  ])('%s', async (redirectUri) => {
    const world = await startWorld();
    const page = await visit(authorizeUrl(world, { redirect_uri: redirectUri }));
    expect(page.status).toBe(400);
    expect(page.location).toBeNull();
    expect(page.text).not.toContain('<form');
    expect(page.text).not.toContain('evil.test');
  });

  test.each([
    ['another path', 'https://daemon.test/callback/more'],
    ['another letter case', 'https://daemon.test/Callback'],
    ['a query', 'https://daemon.test/callback?next=https://evil.test'],
    ['loopback', CALLBACK],
  ])('a client with a secret has only what it registered: %s', async (_, redirectUri) => {
    const world = await startWorld();
    const page = await visit(
      authorizeUrl(world, { client_id: 'daemon', redirect_uri: redirectUri }),
    );
    expect([page.status, page.location]).toEqual([400, null]);
  });

  test('an unknown client, and a client given twice', async () => {
    const world = await startWorld();
    expect(await visit(authorizeUrl(world, { client_id: 'nobody' }))).toMatchObject({
      status: 400,
      location: null,
    });
    expect(await visit(`${authorizeUrl(world).href}&client_id=cli`)).toMatchObject({
      status: 400,
      location: null,
    });
    expect(await visit(`${authorizeUrl(world).href}&redirect_uri=http://evil.test`)).toMatchObject({
      status: 400,
      location: null,
    });
  });
});

describe('a public client on loopback', () => {
  test.each([
    'http://127.0.0.1:1/x?a=b',
    'http://localhost:65000/',
    'http://[::1]:8080/callback',
    'http://127.0.0.1',
  ])('gets its code at %s', async (redirectUri) => {
    const world = await startWorld();
    const { status, location } = await signIn(
      authorizeUrl(world, { redirect_uri: redirectUri }),
      ADA,
    );
    expect(status).toBe(303);
    expect(location?.href.startsWith(redirectUri)).toBe(true);
    expect(Object.fromEntries(location?.searchParams ?? [])).toMatchObject({
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: 'the state',
      iss: world.issuer,
    });
  });
});

test('the answer can come in the fragment, and a state with anything in it comes back as it was', async () => {
  const world = await startWorld();
  const state = `"><script>alert('x')</script>\r\nset-cookie: a=b&code=mine#?ü`;
  const url = authorizeUrl(world, { response_mode: 'fragment', state });
  const { location, headers } = await signIn(url, ADA);
  expect(location?.search).toBe('');
  expect(new URLSearchParams(location?.hash.slice(1)).get('state')).toBe(state);
  expect(headers.get('set-cookie')).not.toContain('a=b');
  const inQuery = (await signIn(authorizeUrl(world, { state }), ADA)).location?.searchParams;
  expect(inQuery?.getAll('state')).toEqual([state]);
  expect(inQuery?.getAll('code')).toHaveLength(1);
});

test('without a state, none comes back', async () => {
  const world = await startWorld();
  const { location } = await signIn(authorizeUrl(world, { state: undefined }), ADA);
  expect(location?.searchParams.has('state')).toBe(false);
});

test('the request may be posted, from the pages of any client', async () => {
  const world = await startWorld();
  const page = await visit(world.endpoint.authorize, {
    method: 'POST',
    headers: { origin: 'https://daemon.test' },
    body: authorizeUrl(world).searchParams,
  });
  expect(page.status).toBe(200);
  expect(page.text).toContain('The command line');
});

describe('what is wrong with a request is reported to its client', () => {
  test.each([
    ['no response_type', { response_type: undefined }, 'invalid_request'],
    ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['a hybrid flow', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['form_post', { response_mode: 'form_post' }, 'invalid_request'],
    ['no scope', { scope: undefined }, 'invalid_request'],
    ['a scope of nobody', { scope: 'openid https://graph.test/.default' }, 'invalid_scope'],
    [
      'no challenge',
      { code_challenge: undefined, code_challenge_method: undefined },
      'invalid_request',
    ],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge without a method', { code_challenge_method: undefined }, 'invalid_request'],
    ['a challenge that is no hash', { code_challenge: 'short' }, 'invalid_request'],
    ['prompt=none', { prompt: 'none' }, 'login_required'],
    ['a request object', { request: 'eyJ' }, 'request_not_supported'],
    ['a request by reference', { request_uri: 'http://evil.test' }, 'request_uri_not_supported'],
  ])('%s', async (_, changes, error) => {
    const world = await startWorld();
    const { status, location } = await visit(authorizeUrl(world, changes));
    expect(status).toBe(303);
    expect(location?.href.startsWith(CALLBACK)).toBe(true);
    expect(Object.fromEntries(location?.searchParams ?? [])).toEqual({
      error,
      error_description: expect.stringMatching(/^[ !#-[\]-~]+$/),
      state: 'the state',
      iss: world.issuer,
    });
  });
});

test('a client with a secret may do without PKCE', async () => {
  const world = await startWorld();
  const redirectUri = 'https://daemon.test/callback';
  const { location } = await signIn(
    authorizeUrl(world, {
      client_id: 'daemon',
      redirect_uri: redirectUri,
      code_challenge: undefined,
      code_challenge_method: undefined,
    }),
    ADA,
  );
  const { status } = await askToken(world, {
    grant_type: 'authorization_code',
    client_id: 'daemon',
    client_secret: 'p%ss: wörd+',
    code: location?.searchParams.get('code') ?? '',
    redirect_uri: redirectUri,
  });
  expect(status).toBe(200);
});
