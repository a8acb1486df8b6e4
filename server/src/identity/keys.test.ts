import { exportJWK, generateKeyPair } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { createKeys } from './keys.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const pair = await generateKeyPair('RS256', { extractable: true });
const jwk = await exportJWK(pair.publicKey);

let now = 0;
let fetches = 0;
let answer: () => Response | Promise<Response>;
const failures: unknown[] = [];

beforeEach(() => {
  now = 1_000;
  fetches = 0;
  failures.length = 0;
  answer = publishing('k1');
});

function publishing(...kids: string[]): () => Response {
  return () => Response.json({ keys: kids.map((kid) => ({ ...jwk, kid, alg: 'RS256' })) });
}

function down(): Promise<Response> {
  return Promise.reject(new TypeError('fetch failed'));
}

function open() {
  const keys = createKeys({
    uri: 'https://issuer.test/keys',
    now: () => now,
    fetch: () => {
      fetches += 1;
      return Promise.resolve(answer());
    },
    onFailure: (error) => failures.push(error),
  });
  const token = { payload: '', signature: '' };
  return {
    ...keys,
    find: async (kid: string) => keys.find({ alg: 'RS256', kid }, token),
  };
}

describe('the keys of the issuer', () => {
  test('an answer without an end is not read on', async () => {
    let sent = 0;
    answer = () =>
      new Response(
        new ReadableStream({
          pull(body) {
            sent += 64 * 1024;
            body.enqueue(new Uint8Array(64 * 1024));
          },
        }),
      );
    const { count, failure } = await open().check();
    expect({ count, failure }).toEqual({
      count: 0,
      failure: 'the answer is larger than 262144 bytes',
    });
    expect(sent).toBeLessThan(1024 * 1024);
  });

  test('are fetched once in five minutes, however many need them', async () => {
    const keys = open();
    await Promise.all(Array.from({ length: 50 }, () => keys.find('k1')));
    now += 5 * MINUTE - 1;
    await keys.find('k1');
    expect(fetches).toBe(1);
    now += 1;
    await keys.find('k1');
    expect(fetches).toBe(2);
  });

  test('are fetched again for a key that is not known: it may be a new one', async () => {
    const keys = open();
    await keys.find('k1');
    answer = publishing('k1', 'k2');
    await keys.find('k2');
    expect(fetches).toBe(2);
  });

  test('a key that the issuer has withdrawn is not good after the next fetch', async () => {
    const keys = open();
    await keys.find('k1');
    answer = publishing('k2');
    now += 5 * MINUTE;
    await expect(keys.find('k1')).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
  });

  test('a flood of unknown keys makes ten fetches a minute and no more', async () => {
    const keys = open();
    for (let n = 0; n < 500; n += 1) {
      now += 100;
      await expect(keys.find(`made-up-${n}`)).rejects.toMatchObject({
        code: 'ERR_JWKS_NO_MATCHING_KEY',
      });
    }
    // 500 in 50 seconds: within one minute.
    expect(fetches).toBe(10);
    // Those with a good key never notice.
    await keys.find('k1');
    now += MINUTE;
    await expect(keys.find('made-up')).rejects.toThrow();
    expect(fetches).toBe(11);
  });

  test('a failing issuer is asked ten times a minute at the most, too', async () => {
    const keys = open();
    answer = down;
    for (let n = 0; n < 100; n += 1) {
      now += 100;
      await expect(keys.find('k1')).rejects.toMatchObject({ code: 'identity_unavailable' });
    }
    expect(fetches).toBe(10);
    expect(failures).toHaveLength(10);
  });

  test('those that were fetched stay good while the issuer is away, for a day', async () => {
    const keys = open();
    await keys.find('k1');
    answer = down;
    now += HOUR;
    await keys.find('k1');
    expect(await keys.check()).toMatchObject({ count: 1, failure: 'fetch failed' });
    now += 23 * HOUR;
    await expect(keys.find('k1')).rejects.toMatchObject({ code: 'identity_unavailable' });
    answer = publishing('k1');
    now += MINUTE;
    await keys.find('k1');
    expect(await keys.check()).toEqual({ count: 1, failure: null });
  });

  test('an issuer that hangs holds nobody up who has a known key, once it has failed', async () => {
    const keys = open();
    await keys.find('k1');
    answer = down;
    now += HOUR;
    await keys.find('k1');
    answer = () => new Promise<Response>(() => {});
    await keys.find('k1');
  });

  test.each<[string, () => Response]>([
    ['an error', () => new Response('no', { status: 500 })],
    ['garbage', () => new Response('<html>')],
    ['no keys', () => Response.json({ keys: [] })],
    ['keys for something else', () => Response.json({ keys: [{ ...jwk, kid: 'k1', use: 'enc' }] })],
    ['a shared secret', () => Response.json({ keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'k1' }] })],
    ['far too much', () => new Response(`{"keys":[${' '.repeat(300_000)}]}`)],
  ])('an answer with %s is none', async (_, bad) => {
    const keys = open();
    answer = bad;
    await expect(keys.find('k1')).rejects.toMatchObject({ code: 'identity_unavailable' });
    expect(failures.length).toBeGreaterThan(0);
  });
});
