import {
  type Client,
  type RunningServer,
  type SignIn,
  TENANT_HEADER,
  createClient,
} from '@millrace/api';
import { clean } from './render/width.ts';
import { DEFAULT_URL, type Found, findServer } from './connection/running.ts';
import { type Screen, createScreen } from './terminal/screen.ts';
import { type Credentials, createCredentials } from './sign-in/credentials.ts';
import { type Tokens, createTokens } from './connection/token.ts';
import { UsageError } from './line/usage-error.ts';
import { earlyAnswer } from './connection/early-answer.ts';
import { atMost } from './connection/limits.ts';
import type { World } from './world.ts';

export interface Context {
  readonly world: World;
  /** Asks with the token of this server, where there is one. */
  readonly client: Client;
  /** The same, also after Ctrl-C: for what has to be undone then. */
  readonly lastWord: Client;
  /** The same server, asked with this token and no other; null: with none. */
  readonly clientWith: (token: string | null) => Client;
  readonly url: string;
  /** The entry by which a local server at this address advertises itself to its user's command line; null if there is none. */
  readonly running: RunningServer | null;
  /** Where to get a token for this server, as it says itself. */
  readonly signIn: () => Promise<SignIn>;
  readonly tokens: Tokens;
  readonly credentials: Credentials;
  readonly out: Screen;
  readonly err: Screen;
  readonly json: boolean;
  readonly quiet: boolean;
  /** One JSON document, on one line. */
  readonly document: (value: unknown) => void;
  /** For the person at the terminal: not for scripts, not with --quiet. */
  readonly note: (sentence: string) => void;
  /** On standard error, also with --quiet: the answer is not what it looks like. Not with --json. */
  readonly warn: (sentence: string) => void;
}

/** A server that takes longer than this is as good as away. One request may change a million jobs. */
const LIMIT_MS = { read: 30_000, write: 300_000 };

export interface GlobalChoices {
  readonly url?: string;
  readonly json?: true;
  readonly quiet?: true;
}

export async function createContext(world: World, choices: GlobalChoices): Promise<Context> {
  const out = createScreen(world.stdout, world.env);
  const err = createScreen(world.stderr, world.env);
  const quiet = choices.quiet === true;
  const json = choices.json === true;
  const warn = (sentence: string) => {
    if (!json) err.line(err.paint('yellow', clean(sentence)));
  };
  const note = (sentence: string) => {
    if (!quiet && !json) err.line(err.paint('dim', sentence));
  };
  const named = choices.url ?? (world.env['MILLRACE_URL'] || null);
  const { url, running, ready } = await findServer(
    { world, warn, note },
    named === null ? null : serviceUrl(named),
  );
  const tenant = world.env['MILLRACE_TENANT'];
  const server = {
    baseUrl: url,
    fetch: limitedFetch(world, url, ready),
    ...(tenant && { headers: { [TENANT_HEADER]: encodeURIComponent(tenant) } }),
  };
  const clientWith = (token: string | null) =>
    createClient({ ...server, token: () => Promise.resolve(token) });
  const signIn = () => clientWith(null).signIn();
  const credentials = createCredentials(world, warn);
  const login = choices.url === undefined ? 'millrace login' : `millrace login --url ${url}`;
  const asked = createTokens({
    world,
    url,
    login,
    signIn,
    credentials,
    local: running?.client ?? null,
  });
  // Its issuer is asked before the server is: which server that is has to be said before.
  const tokens: Tokens = {
    ...asked,
    async get() {
      await ready();
      return asked.get();
    },
  };
  const token = async () => (await tokens.get())?.accessToken ?? null;
  const uninterrupted = { ...world, interrupted: new AbortController().signal };
  return {
    world,
    client: createClient({ ...server, token }),
    lastWord: createClient({ ...server, token, fetch: limitedFetch(uninterrupted, url, ready) }),
    clientWith,
    url,
    running,
    signIn,
    tokens,
    credentials,
    out,
    err,
    json,
    quiet,
    document: (value) => out.line(JSON.stringify(value)),
    note,
    warn,
  };
}

function serviceUrl(given: string): string {
  const text = /^[a-z]+:\/\//i.test(given) ? given : `http://${given}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`"${given}" is not the address of a server, such as ${DEFAULT_URL}.`);
  }
  // fetch takes no such address. The sentence does not repeat it: it would stand in logs.
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('The address contains a user name or password. Remove them.');
  }
  // What listens at ::1 may be somebody else's: the name is to mean one address, the one that servers have by default.
  if (url.hostname === 'localhost') url.hostname = '127.0.0.1';
  return url.href.replace(/\/+$/, '');
}

function limitedFetch(
  { fetch, interrupted }: World,
  server: string,
  ready: Found['ready'],
): typeof globalThis.fetch {
  return async (input, init) => {
    await ready();
    const limitMs = limitOf(init);
    const ends = limitMs === null ? interrupted : atMost(limitMs, interrupted);
    // Who reads a stream ends it too: a line that is left open keeps the process.
    const signal = init?.signal ? AbortSignal.any([ends, init.signal]) : ends;
    // Not followed: the token is for this server alone, and a POST would arrive as a GET.
    const asked = { ...init, redirect: 'manual', signal } as const;
    const response = await fetch(input, asked).catch(async (thrown: unknown) => {
      const address = input instanceof Request ? input.url : String(input);
      const early = await earlyAnswer(thrown, address, init, interrupted);
      if (early === null) throw thrown;
      return early;
    });
    const elsewhere = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || elsewhere === null) return response;
    throw new UsageError(redirected(server, elsewhere));
  };
}

/**
 * Files go as fast as the line lets them, in both directions: an archive of gigabytes is not late. fetch itself
 * gives up when nothing has moved for 300 s.
 */
function limitOf(init: RequestInit | undefined): number | null {
  const accept = new Headers(init?.headers).get('accept') ?? '';
  // A stream of events says every 15 s that it lives, and its reader knows.
  const isEndless = ['*/*', 'text/event-stream'].includes(accept);
  if (isEndless || init?.body instanceof ReadableStream) return null;
  return init?.method === 'GET' ? LIMIT_MS.read : LIMIT_MS.write;
}

function redirected(server: string, elsewhere: string): string {
  const to = URL.canParse(elsewhere, server) ? new URL(elsewhere, server).origin : 'elsewhere';
  return `${server} redirects to ${to}. If you trust that address, pass it with --url or MILLRACE_URL.`;
}
