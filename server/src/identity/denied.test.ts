import type { JWTPayload } from 'jose';
import { describe, expect, test } from 'vitest';
import { claims, get, harness, issuer, start, useIssuer } from '../../test/issuer.ts';

useIssuer();

test('those who fail are limited by address; good callers from the same one are not', async () => {
  start({ rateLimit: 5 });
  for (let n = 0; n < 5; n += 1) expect((await get('x')).status).toBe(401);
  const limited = await get('x');
  expect(limited).toMatchObject({ status: 429, body: { code: 'rate_limited', retryable: true } });
  expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
  expect((await get(await issuer.sign(claims()))).status).toBe(200);
  expect((await harness.app.inject('/healthz')).statusCode).toBe(200);
});

describe('a name that could not be kept as it is', () => {
  test.each<[string, JWTPayload]>([
    ['would be that of a program', { preferred_username: '\u0000app:daemon' }],
    ['would be that of somebody else', { preferred_username: 'ada@example.com\u0000' }],
    ['has a character that is not seen', { preferred_username: 'ada@example.com\u0007' }],
    ['has one of no width', { preferred_username: 'ada\u200b@example.com' }],
    ['is written from right to left', { preferred_username: '\u202eada@example.com' }],
    ['has a filler', { preferred_username: 'ada\u3164@example.com' }],
    ['has twins of ASCII', { preferred_username: 'ａda@example.com' }],
    ['has half of a character', { preferred_username: 'ada\ud800' }],
    ['is too long', { preferred_username: 'x'.repeat(201) }],
    ['is of a program', { idtyp: 'app', azp: 'dae\u0000mon' }],
    ['is the subject', { oid: 'subject\u0000-1' }],
  ])('is refused where it %s', async (_, more) => {
    start();
    expect(await get(await issuer.sign(claims(more)))).toMatchObject({
      status: 401,
      body: { code: 'token_invalid', detail: expect.stringContaining('name or the subject') },
    });
  });

  test('is good up to the last character', async () => {
    start();
    const name = 'ä'.repeat(200);
    expect(await get(await issuer.sign(claims({ preferred_username: name })))).toMatchObject({
      status: 200,
      body: { name },
    });
  });
});

describe('the denied', () => {
  const denied = () =>
    harness.lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg, level }) => msg === 'request denied' && level === 'info');

  test('are logged with their address, what they wanted and why not, reading too', async () => {
    start();
    await get('garbage', '/jobs/secret-name');
    await get(await issuer.sign(claims({ roles: ['viewer'] })), '/audit');
    await harness.app.inject({ url: '/me', headers: { 'x-forwarded-for': '203.0.113.9' } });
    expect(denied()).toMatchObject([
      {
        method: 'GET',
        route: '/jobs/:id',
        status: 401,
        code: 'token_invalid',
        address: '127.0.0.1',
      },
      { route: '/audit', status: 403, code: 'role_missing', by: 'ada@example.com' },
      { route: '/me', status: 401, code: 'unauthenticated', forwardedFor: '203.0.113.9' },
    ]);
    expect(harness.lines.join('')).not.toMatch(/garbage|secret-name/);
  });

  test('do not fill the disk, and one who floods hides no other', async () => {
    start();
    const from = (remoteAddress: string) => harness.app.inject({ url: '/me', remoteAddress });
    for (let n = 0; n < 50; n += 1) await from('192.0.2.1');
    expect(denied()).toHaveLength(10);
    await from('192.0.2.2');
    expect(denied().at(-1)).toMatchObject({ address: '192.0.2.2', unlogged: 40 });
    for (let n = 0; n < 400; n += 1) await from(`198.51.100.${n}`);
    expect(denied()).toHaveLength(300);
  });
});

test('a flood of one open route leaves the probes alone', async () => {
  start({ rateLimit: 3 });
  const status = async (url: string) => (await harness.app.inject(url)).statusCode;
  for (let n = 0; n < 3; n += 1) expect(await status('/signin')).toBe(200);
  expect(await status('/signin')).toBe(429);
  expect(await status('/healthz')).toBe(200);
});
