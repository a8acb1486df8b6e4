import { createLocalJWKSet, createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { type World, startWorld } from '../test/world.ts';
import { startIdentity } from './index.ts';

async function published(world: Pick<World, 'jwksUri'>) {
  const response = await fetch(world.jwksUri);
  const { keys } = (await response.json()) as { keys: Record<string, unknown>[] };
  return { keys, headers: response.headers };
}

const kids = async (world: World) => (await published(world)).keys.map(({ kid }) => kid);

function verifier(world: World) {
  // Without a cooldown, jose asks again at once for a key that it does not know.
  const keys = createRemoteJWKSet(new URL(world.jwksUri), { cooldownDuration: 0 });
  return (token: string) =>
    jwtVerify(token, keys, { issuer: world.issuer, audience: world.audience });
}

test('only the public half is published', async () => {
  const world = await startWorld();
  const { keys, headers } = await published(world);
  expect(keys).toEqual([
    { kty: 'RSA', use: 'sig', kid: expect.any(String), n: expect.any(String), e: 'AQAB' },
  ]);
  expect(headers.get('cache-control')).toBe('public, max-age=300');
});

describe('rotation', () => {
  test('signs with a new key; the old one is good until it is retired', async () => {
    const world = await startWorld();
    const verify = verifier(world);
    const old = await world.sign({});
    await verify(old);
    const before = await kids(world);

    await world.rotateKeys();
    const fresh = await world.sign({});
    expect(decodeProtectedHeader(fresh).kid).not.toBe(decodeProtectedHeader(old).kid);
    expect(await kids(world)).toEqual([decodeProtectedHeader(fresh).kid, ...before]);
    await verify(old);
    await verify(fresh);

    await world.retireKeys();
    expect(await kids(world)).toEqual([decodeProtectedHeader(fresh).kid]);
    await expect(verifier(world)(old)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
    await verify(fresh);
  });

  test('a verifier meets the new key by asking once more', async () => {
    const world = await startWorld();
    const verify = verifier(world);
    await verify(await world.sign({}));
    await world.rotateKeys();
    await verify(await world.sign({}));
    expect(world.requests.jwks).toBe(2);
  });
});

describe('kept keys', () => {
  test('go on over a restart, rotation and all', async () => {
    const world = await startWorld();
    const old = await world.sign({ iss: 'kept' });
    await world.rotateKeys();
    const keys = JSON.parse(JSON.stringify(await world.exportKeys())) as Awaited<
      ReturnType<World['exportKeys']>
    >;
    const next = await startWorld({ keys });
    expect(await kids(next)).toEqual(await kids(world));
    const set = createLocalJWKSet({ keys: (await published(next)).keys });
    await jwtVerify(old, set);
    expect(decodeProtectedHeader(await next.sign({})).kid).toBe((await kids(world))[0]);
  });

  test.each([
    ['a public key', { d: undefined }],
    ['no kid', { kid: '' }],
    ['another type', { kty: 'EC' }],
    ['a short key', { n: 'AQAB' }],
    ['nonsense', { p: '!' }],
    ['two halves of different keys', { n: 'x'.repeat(342) }],
  ])('that will not do are refused: %s', async (_, change) => {
    const [key] = await (await startWorld()).exportKeys();
    const keys = [{ ...key, ...change }] as unknown as NonNullable<typeof key>[];
    await expect(startIdentity({ keys })).rejects.toMatchObject({ code: 'invalid_option' });
  });
});

describe('sign', () => {
  test('gives a valid token, with anything overridden or taken away', async () => {
    const world = await startWorld();
    const { payload } = await verifier(world)(
      await world.sign({ roles: ['viewer'], sub: 'me', tid: undefined }),
    );
    expect(payload).toMatchObject({ roles: ['viewer'], sub: 'me', ver: '2.0' });
    expect(payload).not.toHaveProperty('tid');
  });

  test.each([
    ['another issuer', { iss: 'https://evil.test' }, 'iss'],
    ['another audience', { aud: 'api://other' }, 'aud'],
    ['the past', { exp: 1 }, 'exp'],
    ['the future', { nbf: 9_999_999_999 }, 'nbf'],
    ['an exp that is no number', { exp: 'soon' }, 'exp'],
  ])('makes tokens to be refused: %s', async (_, claims, claim) => {
    const world = await startWorld();
    await expect(verifier(world)(await world.sign(claims))).rejects.toMatchObject({ claim });
  });

  test('puts a kid of no key in the header', async () => {
    const world = await startWorld();
    const token = await world.sign({}, { kid: 'nobody' });
    expect(decodeProtectedHeader(token).kid).toBe('nobody');
    await expect(verifier(world)(token)).rejects.toMatchObject({
      code: 'ERR_JWKS_NO_MATCHING_KEY',
    });
  });

  test('signs with an older key that a kid names', async () => {
    const world = await startWorld();
    const [old] = await kids(world);
    await world.rotateKeys();
    await verifier(world)(await world.sign({}, { kid: String(old) }));
  });
});
