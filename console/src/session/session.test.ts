import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Tokens } from './issuer.ts';
import { openSession } from './session.ts';

const ISSUER = 'http://issuer.test';
const CONFIG = {
  version: '0.1.0',
  environment: null,
  sandbox: false,
  required: true,
  issuer: ISSUER,
  clientId: 'millrace',
  scope: null,
};
const HOUR = 3_600_000;

const tokens = (name: string, expiresAt = Date.now() + HOUR): Tokens => ({
  access: `${name}-access`,
  refresh: `${name}-refresh`,
  expiresAt,
});

function storage(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    clear: () => kept.clear(),
    key: (index: number) => [...kept.keys()][index] ?? null,
    get length() {
      return kept.size;
    },
  };
}

/** Another tab of the same browser, as far as this one can hear it. */
function otherTab(answer: Tokens | null) {
  const channel = new BroadcastChannel('millrace.session');
  const heard: string[] = [];
  let tell: (() => void) | null = null;
  channel.addEventListener('message', ({ data }: MessageEvent<{ type: string }>) => {
    heard.push(data.type);
    if (data.type === 'ask' && answer !== null)
      channel.postMessage({ type: 'answer', tokens: answer });
    tell?.();
  });
  return {
    heard,
    send: (message: unknown) => channel.postMessage(message),
    hears: (type: string) =>
      new Promise<void>((resolve) => {
        tell = () => heard.includes(type) && resolve();
        tell();
      }),
    close: () => channel.close(),
  };
}

const reload = vi.fn<() => void>();
const assign = vi.fn<(url: string | URL) => void>();
let tab: ReturnType<typeof otherTab> | null = null;

beforeEach(() => {
  vi.stubGlobal('sessionStorage', storage());
  vi.stubGlobal('localStorage', storage());
  vi.stubGlobal('location', { origin: 'http://console.test', reload, assign });
});
afterEach(() => {
  tab?.close();
  vi.unstubAllGlobals();
  vi.clearAllMocks();
});

const kept = (): unknown => JSON.parse(sessionStorage.getItem('millrace.session') ?? 'null');

/** An issuer that answers each renewal with this. */
function issuer(status: number, body: unknown): void {
  vi.stubGlobal('fetch', async (url: string) =>
    url.includes('.well-known')
      ? Response.json({
          authorization_endpoint: `${ISSUER}/authorize`,
          token_endpoint: `${ISSUER}/token`,
        })
      : Response.json(body, { status }),
  );
}

test('a new tab keeps what another gave it, for when that one is closed', async () => {
  tab = otherTab(tokens('first'));
  const session = await openSession(CONFIG);
  expect(session.isSignedIn()).toBe(true);
  expect(kept()).toMatchObject({ access: 'first-access' });
});

test('an answer of another tab that comes late is taken all the same', async () => {
  tab = otherTab(null);
  const session = await openSession(CONFIG);
  expect(session.isSignedIn()).toBe(false);
  const signedIn = new Promise<boolean>((resolve) => session.watch(resolve));
  tab.send({ type: 'answer', tokens: tokens('late') });
  expect(await signedIn).toBe(true);
  expect(kept()).toMatchObject({ access: 'late-access' });
});

test('signing out ends the session of every tab', async () => {
  tab = otherTab(tokens('first'));
  issuer(200, {});
  const session = await openSession(CONFIG);
  sessionStorage.setItem('millrace.tenant', 'acme');
  await session.signOut();
  await tab.hears('end');
  expect(session.isSignedIn()).toBe(false);
  expect(kept()).toBeNull();
  expect(sessionStorage.getItem('millrace.tenant')).toBeNull();
});

test('signing out removes what the person wrote, and keeps what was chosen for the browser', async () => {
  tab = otherTab(tokens('first'));
  issuer(200, {});
  const session = await openSession(CONFIG);
  const written = ['millrace.queries.oid-1', 'millrace.sample.invoice', 'millrace.queries.oid-2'];
  for (const name of [...written, 'millrace.theme']) localStorage.setItem(name, '…');
  await session.signOut();
  expect(written.map((name) => localStorage.getItem(name))).toEqual([null, null, null]);
  expect(localStorage.getItem('millrace.theme')).toBe('…');
});

test('signed out in another tab, this one shows nothing any more', async () => {
  tab = otherTab(tokens('first'));
  await openSession(CONFIG);
  const reloaded = new Promise<void>((resolve) => reload.mockImplementation(resolve));
  tab.send({ type: 'end' });
  await reloaded;
  expect(kept()).toBeNull();
});

test('signing out works while the issuer does not answer', async () => {
  tab = otherTab(tokens('first'));
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no connection')));
  const session = await openSession(CONFIG);
  await session.signOut();
  expect(session.isSignedIn()).toBe(false);
  expect(assign).toHaveBeenCalledOnce();
});

test('refused a renewal that another tab was faster with, it takes the one of that tab', async () => {
  sessionStorage.setItem('millrace.session', JSON.stringify(tokens('old', Date.now())));
  tab = otherTab(tokens('new'));
  issuer(400, { error: 'invalid_grant' });
  const session = await openSession(CONFIG);
  expect(await session.token()).toBe('new-access');
});

test('a token that the service refused is renewed, and ends the session where that fails', async () => {
  sessionStorage.setItem('millrace.session', JSON.stringify(tokens('one')));
  issuer(200, { access_token: 'two-access', refresh_token: 'two-refresh' });
  const session = await openSession(CONFIG);
  expect(await session.token()).toBe('one-access');
  session.refused('one-access');
  expect(await session.token()).toBe('two-access');
  session.refused('one-access');
  expect(await session.token()).toBe('two-access');

  issuer(400, { error: 'invalid_grant' });
  const heard: boolean[] = [];
  session.watch((signedIn) => heard.push(signedIn));
  session.refused('two-access');
  expect(await session.token()).toBeNull();
  expect(heard).toEqual([false]);
});
