import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('location', { origin: 'http://console.test', reload, assign });
});
afterEach(() => {
  tab?.close();
  vi.unstubAllGlobals();
  vi.clearAllMocks();
});

const kept = (): unknown => JSON.parse(sessionStorage.getItem('millrace.session') ?? 'null');

/** An issuer that answers each renewal with this. Gives what was sent to it. */
function issuer(status: number, body: unknown, discovery: object = {}): string[] {
  const sent: string[] = [];
  vi.stubGlobal('fetch', async (url: string, { body: form }: RequestInit = {}) => {
    if (url.includes('.well-known'))
      return Response.json({
        issuer: ISSUER,
        authorization_endpoint: `${ISSUER}/authorize`,
        token_endpoint: `${ISSUER}/token`,
        ...discovery,
      });
    sent.push(form instanceof URLSearchParams ? form.toString() : '');
    return Response.json({ token_type: 'bearer', ...Object(body) }, { status });
  });
  return sent;
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

describe('the answer to a sign-in', () => {
  const GIVEN = { access_token: 'new-access', refresh_token: 'new-refresh' };
  const SAYS_ISSUER = { authorization_response_iss_parameter_supported: true };

  /** Begins one, and gives what came of an answer with these members. */
  async function answered(members: Record<string, string>, discovery: object = {}) {
    const sent = issuer(200, GIVEN, discovery);
    tab = otherTab(null);
    const session = await openSession(CONFIG);
    await session.signIn({ returnTo: '/jobs' });
    const asked = new URL(String(assign.mock.lastCall?.[0]));
    const state = asked.searchParams.get('state') ?? '';
    const complete = session.complete(new URLSearchParams({ code: 'c', state, ...members }));
    return { complete, sent };
  }

  test.each([
    ['names no issuer, and need not', {}, {}],
    ['names its issuer', { iss: ISSUER }, {}],
    ['names its issuer, as that one says', { iss: ISSUER }, SAYS_ISSUER],
  ])('that %s is taken', async (_, members, discovery) => {
    const { complete } = await answered(members, discovery);
    expect(await complete).toBe('/jobs');
    expect(kept()).toMatchObject({ access: 'new-access' });
  });

  test.each([
    ['names another issuer', { iss: 'http://other.test' }, {}],
    ['names none, though its issuer says that it does', {}, SAYS_ISSUER],
    ['names another issuer and an error', { iss: 'http://other.test', error: 'x' }, SAYS_ISSUER],
  ])('that %s is refused, and its code goes nowhere', async (_, members, discovery) => {
    const { complete, sent } = await answered(members, discovery);
    await expect(complete).rejects.toThrow('another sign-in service');
    expect(sent).toEqual([]);
  });
});

test.each([{ issuer: 'http://other.test' }, { issuer: `${ISSUER}/` }, { issuer: undefined }])(
  'nobody is sent to an issuer whose discovery says %o',
  async (discovery) => {
    issuer(200, {}, discovery);
    tab = otherTab(null);
    const session = await openSession(CONFIG);
    await expect(session.signIn({ returnTo: '/' })).rejects.toThrow();
    expect(assign).not.toHaveBeenCalled();
  },
);
