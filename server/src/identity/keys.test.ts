import { base64url } from 'jose';
import { describe, expect, test } from 'vitest';
import { claims, get, harness, issuer, start, useIssuer } from '../../test/issuer.ts';

useIssuer();

const encoded = (value: object) => base64url.encode(JSON.stringify(value));

describe('the keys', () => {
  test('may be changed: a token signed with the new one is good at once', async () => {
    start();
    const old = await issuer.sign(claims());
    expect((await get(old)).status).toBe(200);
    await issuer.rotateKeys();
    expect((await get(await issuer.sign(claims()))).status).toBe(200);
    // The old key is still published: tokens out there stay good.
    expect((await get(old)).status).toBe(200);
  });

  test('that cannot be fetched at the start make the service unready, and come when they can', async () => {
    issuer.faults.add({ kind: 'jwks-down' });
    start();
    const token = await issuer.sign(claims());
    expect(await get(token)).toMatchObject({ status: 503, body: { code: 'identity_unavailable' } });
    expect((await get(token)).headers['retry-after']).toBeDefined();
    const unready = await harness.app.inject('/readyz');
    expect(unready.statusCode).toBe(503);
    expect(unready.json()).toMatchObject({ status: 'unavailable' });
    issuer.faults.clear();
    expect((await get(token)).status).toBe(200);
    expect((await harness.app.inject('/readyz')).json()).toMatchObject({ status: 'ready' });
  });

  test('that cannot be fetched later: known ones stay good, a new one is refused', async () => {
    start();
    const token = await issuer.sign(claims());
    expect((await get(token)).status).toBe(200);
    issuer.faults.add({ kind: 'jwks-down' });
    await issuer.rotateKeys();
    expect((await get(await issuer.sign(claims()))).status).toBe(401);
    expect((await get(token)).status).toBe(200);
    const ready = await harness.app.inject('/readyz');
    expect(ready.statusCode).toBe(200);
    expect(ready.json()).toMatchObject({
      status: 'degraded',
      checks: [{ name: 'identity', status: 'degraded', latencyMs: expect.any(Number) as number }],
    });
  });

  test('a flood of made-up key ids asks the issuer ten times at the most', async () => {
    start();
    const [, payload, signature] = (await issuer.sign(claims())).split('.');
    await get(await issuer.sign(claims()));
    for (let n = 0; n < 300; n += 1) {
      const head = encoded({ alg: 'RS256', kid: `made-up-${n}` });
      expect((await get(`${head}.${payload}.${signature}`)).status).toBe(401);
    }
    expect(issuer.requests.jwks).toBeLessThanOrEqual(10);
    expect((await get(await issuer.sign(claims()))).status).toBe(200);
  });
});
