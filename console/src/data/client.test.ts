import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { contracts } from '@millrace/api';
import { MutationObserver, QueryClient } from '@tanstack/react-query';
import type { Session } from '../session/session.ts';
import { correctedNow } from '../time/now.ts';
import { createApp } from './client.ts';

/** A session whose token is refused until somebody signs in. */
function endedSession() {
  let token: string | null = 'old';
  let resume: () => void = () => {};
  const asked = vi.fn<() => void>();
  const session: Session = {
    token: async () => token,
    refused: () => (token = token === 'old' ? null : token),
    isSignedIn: () => token !== null,
    again: () => {
      asked();
      return new Promise((resolve) => (resume = resolve));
    },
    signIn: () => Promise.reject(new Error('not here')),
    complete: () => Promise.reject(new Error('not here')),
    signOut: () => Promise.reject(new Error('not here')),
    watch: () => () => {},
  };
  return {
    session,
    asked,
    signIn: () => {
      token = 'new';
      resume();
    },
  };
}

const answer = contracts.me.example.response;

beforeEach(() => {
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  vi.stubGlobal('location', { origin: 'http://console.test' });
  vi.stubGlobal('fetch', async (_: string, { headers }: { headers: Headers }) =>
    headers.get('authorization') === 'Bearer new'
      ? Response.json(answer)
      : new Response(null, { status: 401 }),
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('what reads waits until somebody has signed in again', async () => {
  const { session, asked, signIn } = endedSession();
  const reading = createApp(session).api.me().catch(String);
  await vi.waitFor(() => expect(asked).toHaveBeenCalled());
  signIn();
  await expect(reading).resolves.toMatchObject({ name: answer.name });
});

test('what changes something is refused: who signs in may be somebody else', async () => {
  const { session, asked } = endedSession();
  const making = createApp(session).api.enqueue({ body: { kind: 'greet', data: {} } });
  await expect(making).rejects.toMatchObject({ problem: { status: 401 } });
  expect(asked).not.toHaveBeenCalled();
});

test('the clock of the service counts where the own one is wrong', async () => {
  vi.useFakeTimers({ now: Date.parse('2026-11-18T12:00:00Z'), toFake: ['Date'] });
  vi.stubGlobal('fetch', async () =>
    Response.json(answer, { headers: { date: 'Tue, 17 Nov 2026 12:00:00 GMT' } }),
  );
  await createApp(endedSession().session)
    .api.me()
    .catch(() => null);
  expect(new Date(correctedNow()).toISOString()).toBe('2026-11-17T12:00:00.000Z');
});

test('a call that is under way is told before the next click comes: a double click calls once', async () => {
  const observer = new MutationObserver(new QueryClient(), {
    mutationFn: () => new Promise(() => {}),
  });
  const told: boolean[] = [];
  observer.subscribe(({ isPending }) => told.push(isPending));
  void observer.mutate();
  // No timer has run by then, as none runs between two clicks that have waited for a busy page.
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  expect(told).toContain(true);
});
