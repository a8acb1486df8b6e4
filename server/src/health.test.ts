import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { identityCheck, runCheck } from './health.ts';
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
