import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { identityCheck, runCheck, storeCheck } from './health.ts';
import type { Keys, KeysStatus } from './identity/keys.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

describe('readiness while the issuer takes its time', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** As they are while a fetch of them hangs. */
  const hanging = (status: KeysStatus): Keys => ({
    find: () => Promise.reject(new Error('not asked')),
    check: () => new Promise(() => {}),
    status: () => status,
  });

  test.each([
    ['degraded', 2],
    ['down', 0],
  ])('is %s within 2 s, with %i keys at hand', async (status, count) => {
    const check = identityCheck(hanging({ count, failure: null }));
    const answer = runCheck(check, quiet);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await answer).toMatchObject({ name: 'identity', ok: false, status });
  });
});

test.each([
  [
    'postgres://db.example.com:5432/orders',
    'The store at postgres://db.example.com:5432/orders does not answer.',
  ],
  [null, 'The store does not answer.'],
])('a store at %s that does not answer', async (place, detail) => {
  const away = { now: () => Promise.reject(new Error('ECONNREFUSED 10.1.2.3')) };
  const well = { trouble: () => null, stopped: () => null };
  expect(await runCheck(storeCheck(away, well, place), quiet)).toMatchObject({
    status: 'down',
    detail,
  });
});
