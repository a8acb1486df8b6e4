import { describe, expect, test } from 'vitest';
import { signIn, submit, visit } from '../test/browser.ts';
import { askToken } from '../test/code-flow.ts';
import { ADA, API_SCOPE, OTTO, type World, startWorld } from '../test/world.ts';

interface Started {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
  readonly message: string;
}

async function ask(world: World, fields: Record<string, string> = {}) {
  const body = new URLSearchParams({ client_id: 'cli', scope: API_SCOPE, ...fields });
  const response = await fetch(world.endpoint.devicecode, { method: 'POST', body });
  const answer: unknown = await response.json();
  return answer;
}

const start = async (world: World) => (await ask(world)) as Started;

async function poll(world: World, { device_code }: Started, client = 'cli'): Promise<string> {
  const { body } = await askToken(world, {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    client_id: client,
    device_code,
  });
  return typeof body['access_token'] === 'string' ? 'tokens' : String(body['error']);
}

test('a program gets a code for its person, and a page to type it', async () => {
  const world = await startWorld();
  const started = await start(world);
  expect(started).toMatchObject({
    user_code: expect.stringMatching(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/),
    expires_in: 900,
    interval: 5,
  });
  expect(started.message).toContain(started.user_code);
  const page = await visit(started.verification_uri);
  expect(page.status).toBe(200);
  expect(page.text).toContain('name="user_code"');
});

describe('the person', () => {
  test('sees the code and who asks, signs in, and is asked to close the window', async () => {
    const world = await startWorld();
    const started = await start(world);
    const page = await visit(started.verification_uri_complete);
    expect(page.text).toContain(started.user_code);
    expect(page.text).toContain('The command line');
    expect(await poll(world, started)).toBe('authorization_pending'); // looking is not signing in
    const after = await submit(page, { action: 'sign-in', username: ADA });
    expect(after.status).toBe(200);
    expect(after.text).toContain('You can close this window');
    expect(await poll(world, started)).toBe('tokens');
    expect(await poll(world, started)).toBe('invalid_grant');
  });

  test('may type the code as they like', async () => {
    const world = await startWorld();
    const started = await start(world);
    const typed = ` ${started.user_code.toLowerCase().replace('-', ' ')} `;
    const url = `${started.verification_uri}?${new URLSearchParams({ user_code: typed }).toString()}`;
    await signIn(url, ADA);
    expect(await poll(world, started)).toBe('tokens');
  });

  test('may refuse', async () => {
    const world = await startWorld();
    const started = await start(world);
    const page = await visit(started.verification_uri_complete);
    expect((await submit(page, { action: 'cancel' })).text).toContain('You can close this window');
    expect(await poll(world, started)).toBe('access_denied');
    expect(await poll(world, started)).toBe('access_denied');
  });

  test('needs their password', async () => {
    const world = await startWorld();
    const started = await start(world);
    expect((await signIn(started.verification_uri_complete, OTTO, 'wrong')).status).toBe(403);
    expect(await poll(world, started)).toBe('authorization_pending');
    await signIn(started.verification_uri_complete, OTTO, 'open sesame');
    expect(await poll(world, started)).toBe('tokens');
  });

  test('decides once: a second window changes nothing', async () => {
    const world = await startWorld();
    const started = await start(world);
    const [one, two] = [
      await visit(started.verification_uri_complete),
      await visit(started.verification_uri_complete),
    ];
    await submit(one, { action: 'cancel' });
    expect((await submit(two, { action: 'sign-in', username: ADA })).status).toBe(400);
    expect(await poll(world, started)).toBe('access_denied');
    const again = await visit(started.verification_uri_complete);
    expect([again.status, again.text.includes('No program waits')]).toEqual([404, true]);
  });

  test('is asked again after a wrong code, which cannot break out of the page', async () => {
    const world = await startWorld();
    const { verification_uri: url } = await start(world);
    const page = await visit(`${url}?user_code=${encodeURIComponent('"><script>x')}`);
    expect(page.status).toBe(404);
    expect(page.text).toContain('value="&quot;&gt;&lt;script&gt;x"');
    expect(page.text).not.toContain('<script');
  });
});

describe('polling', () => {
  test('too fast is asked to slow down, by five seconds more each time', async () => {
    const world = await startWorld();
    const started = await start(world);
    const answers: string[] = [await poll(world, started)];
    for (const seconds of [5, 4, 9, 15, 15]) {
      world.advance(seconds * 1000);
      answers.push(await poll(world, started));
    }
    expect(answers).toEqual([
      'authorization_pending',
      'authorization_pending',
      'slow_down', // 4 of 5
      'slow_down', // 9 of 10
      'authorization_pending', // 15 of 15
      'authorization_pending',
    ]);
  });

  test('ends after a quarter of an hour, for the person too', async () => {
    const world = await startWorld();
    const started = await start(world);
    const page = await visit(started.verification_uri_complete);
    world.advance(599_000); // the page lasts ten minutes
    const open = await visit(started.verification_uri_complete);
    world.advance(301_000);
    expect(await poll(world, started)).toBe('expired_token');
    expect((await submit(page, { action: 'sign-in', username: ADA })).status).toBe(400);
    expect((await submit(open, { action: 'sign-in', username: ADA })).status).toBe(400);
    expect((await visit(started.verification_uri_complete)).status).toBe(404);
    expect(await poll(world, started)).toBe('expired_token');
  });

  test('is for the client that asked', async () => {
    const world = await startWorld();
    const started = await start(world);
    await signIn(started.verification_uri_complete, ADA);
    expect(await poll(world, started, 'other-cli')).toBe('invalid_grant');
    expect(await poll(world, { ...started, device_code: 'x' })).toBe('invalid_grant');
    expect(await poll(world, started)).toBe('tokens');
  });
});

test.each([
  [
    'a client with a secret',
    { client_id: 'idle', client_secret: 'idle secret' },
    'unauthorized_client',
  ],
  ['an unknown client', { client_id: 'nobody' }, 'invalid_client'],
  ['an unknown scope', { scope: 'mail' }, 'invalid_scope'],
  ['no scope', { scope: '' }, 'invalid_request'],
])('%s gets no device code', async (_, fields, error) => {
  const world = await startWorld();
  expect(await ask(world, fields)).toMatchObject({ error });
});
