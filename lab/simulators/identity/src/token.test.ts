import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { type Fields, askToken, codeFor, redeem, refresh } from '../test/code-flow.ts';
import { API_SCOPE, CALLBACK, startWorld } from '../test/world.ts';

const invalidGrant = { status: 400, body: { error: 'invalid_grant' } };

test('an answer is not to be stored', async () => {
  const world = await startWorld();
  const { status, headers, body } = await redeem(world, await codeFor(world));
  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
});

describe('a code', () => {
  test('is good once: the second time ends what the first one gave', async () => {
    const world = await startWorld();
    const code = await codeFor(world);
    const first = await redeem(world, code);
    expect(first.status).toBe(200);
    expect(await redeem(world, code)).toMatchObject(invalidGrant);
    expect(await refresh(world, first.body['refresh_token'])).toMatchObject(invalidGrant);
  });

  test('that comes twice at once gives no more than one set of tokens, which is ended', async () => {
    const world = await startWorld();
    const code = await codeFor(world);
    const answers = await Promise.all([redeem(world, code), redeem(world, code)]);
    const good = answers.filter(({ status }) => status === 200);
    expect(good.length).toBeLessThan(2);
    for (const { body } of good) {
      expect(await refresh(world, body['refresh_token'])).toMatchObject(invalidGrant);
    }
  });

  test('is good for a minute', async () => {
    const world = await startWorld();
    const [inTime, late] = [await codeFor(world), await codeFor(world)];
    world.advance(59_999);
    expect((await redeem(world, inTime)).status).toBe(200);
    world.advance(1);
    expect(await redeem(world, late)).toMatchObject(invalidGrant);
  });

  test('that comes back after its minute is still noticed', async () => {
    const world = await startWorld();
    const code = await codeFor(world);
    const { body } = await redeem(world, code);
    world.advance(300_000);
    expect(await redeem(world, code)).toMatchObject(invalidGrant);
    expect(await refresh(world, body['refresh_token'])).toMatchObject(invalidGrant);
  });

  test.each<[string, Fields]>([
    ['a wrong verifier', { code_verifier: 'x'.repeat(43) }],
    ['no verifier', { code_verifier: undefined }],
    ['another redirect_uri', { redirect_uri: `${CALLBACK}2` }],
    ['no redirect_uri', { redirect_uri: undefined }],
    ['another client', { client_id: 'other-cli' }],
    ['another client with its secret', { client_id: 'idle', client_secret: 'idle secret' }],
  ])('with %s gives nothing, and is spent', async (_, changes) => {
    const world = await startWorld();
    const code = await codeFor(world);
    expect(await redeem(world, code, changes)).toMatchObject(invalidGrant);
    expect(await redeem(world, code)).toMatchObject(invalidGrant);
  });

  test('asked for without a challenge takes no verifier: it may have been cut off', async () => {
    const world = await startWorld();
    const redirectUri = 'https://daemon.test/callback';
    const code = await codeFor(world, {
      client_id: 'daemon',
      redirect_uri: redirectUri,
      code_challenge: undefined,
      code_challenge_method: undefined,
    });
    const secret = { client_id: 'daemon', client_secret: 'p%ss: wörd+' };
    expect(await redeem(world, code, { ...secret, redirect_uri: redirectUri })).toMatchObject(
      invalidGrant,
    );
  });
});

describe('a refresh token', () => {
  const start = async () => {
    const world = await startWorld();
    const { body } = await redeem(world, await codeFor(world));
    return { world, token: body['refresh_token'] };
  };

  test('used twice ends the sign-in, the newest token included', async () => {
    const { world, token } = await start();
    const { body } = await refresh(world, token);
    expect(await refresh(world, token)).toMatchObject(invalidGrant);
    expect(await refresh(world, body['refresh_token'])).toMatchObject(invalidGrant);
  });

  test('ends a day after the sign-in, however often it was renewed', async () => {
    const { world, token } = await start();
    world.advance(23 * 3_600_000);
    const { status, body } = await refresh(world, token);
    expect(status).toBe(200);
    world.advance(3_600_000);
    expect(await refresh(world, body['refresh_token'])).toMatchObject(invalidGrant);
  });

  test('is of no use to another client, and not harmed by it', async () => {
    const { world, token } = await start();
    expect(await refresh(world, token, { client_id: 'other-cli' })).toMatchObject(invalidGrant);
    expect((await refresh(world, token)).status).toBe(200);
  });

  test('gives less when asked for less, more never, and the next can give all again', async () => {
    const { world, token } = await start();
    expect(await refresh(world, token, { scope: 'openid email' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    });
    const less = await refresh(world, token, { scope: API_SCOPE });
    expect(less.body).toMatchObject({ scope: API_SCOPE });
    expect(less.body).not.toHaveProperty('id_token');
    const all = await refresh(world, less.body['refresh_token']);
    expect(decodeJwt(String(all.body['id_token']))).not.toHaveProperty('nonce');
  });

  test('is given only where offline_access was asked for', async () => {
    const world = await startWorld();
    const { body } = await redeem(world, await codeFor(world, { scope: 'openid' }));
    expect(body).not.toHaveProperty('refresh_token');
  });
});

describe('refused', () => {
  const credentials = { grant_type: 'client_credentials', scope: API_SCOPE };
  const basic = (text: string) => ({
    authorization: `Basic ${Buffer.from(text).toString('base64')}`,
  });
  test.each<[string, Fields, Record<string, string>, number, string]>([
    ['no grant', {}, {}, 400, 'invalid_request'],
    ['an unknown grant', { grant_type: 'password' }, {}, 400, 'unsupported_grant_type'],
    ['a name of Object', { grant_type: 'constructor' }, {}, 400, 'unsupported_grant_type'],
    ['no client', credentials, {}, 401, 'invalid_client'],
    ['an unknown client', { ...credentials, client_id: 'x' }, {}, 401, 'invalid_client'],
    ['no secret', { ...credentials, client_id: 'daemon' }, {}, 401, 'invalid_client'],
    [
      'a wrong secret',
      { ...credentials, client_id: 'daemon', client_secret: 'x' },
      {},
      401,
      'invalid_client',
    ],
    ['a wrong secret by Basic', credentials, basic('idle:x'), 401, 'invalid_client'],
    ['Basic without a colon', credentials, basic('idle'), 401, 'invalid_client'],
    ['Basic that is not form-encoded', credentials, basic('idle:%zz'), 401, 'invalid_client'],
    ['Basic of nonsense', credentials, { authorization: 'Basic ???' }, 401, 'invalid_client'],
    ['another scheme', credentials, { authorization: 'Bearer x' }, 401, 'invalid_client'],
    [
      'a secret in two places',
      { ...credentials, client_secret: 'idle secret' },
      basic('idle:idle+secret'),
      400,
      'invalid_request',
    ],
    [
      'two clients',
      { ...credentials, client_id: 'daemon' },
      basic('idle:idle+secret'),
      400,
      'invalid_request',
    ],
    [
      'a secret of a public client',
      { ...credentials, client_id: 'cli', client_secret: 'x' },
      {},
      401,
      'invalid_client',
    ],
    [
      'a public client by itself',
      { ...credentials, client_id: 'cli' },
      {},
      400,
      'unauthorized_client',
    ],
    [
      'another scope',
      { ...credentials, scope: 'openid' },
      basic('idle:idle+secret'),
      400,
      'invalid_scope',
    ],
    [
      'no scope',
      { ...credentials, scope: undefined },
      basic('idle:idle+secret'),
      400,
      'invalid_scope',
    ],
    ['no code', { grant_type: 'authorization_code', client_id: 'cli' }, {}, 400, 'invalid_request'],
    [
      'a code of nobody',
      { grant_type: 'authorization_code', client_id: 'cli', code: '__proto__' },
      {},
      400,
      'invalid_grant',
    ],
    [
      'no refresh token',
      { grant_type: 'refresh_token', client_id: 'cli' },
      {},
      400,
      'invalid_request',
    ],
  ])('%s', async (_, fields, headers, status, error) => {
    const world = await startWorld();
    const answer = await askToken(world, fields, headers);
    expect(answer).toMatchObject({ status, body: { error } });
    expect(answer.body['error_description']).toMatch(/^[ !#-[\]-~]+$/);
    expect(answer.headers.has('www-authenticate')).toBe(status === 401);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('a parameter that comes twice', async () => {
    const world = await startWorld();
    const response = await fetch(world.endpoint.token, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials&grant_type=refresh_token',
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'invalid_request' });
  });
});
