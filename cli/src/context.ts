import type { Readable } from 'node:stream';
import {
  type Client,
  type RunningServer,
  type SignIn,
  TENANT_HEADER,
  createClient,
} from '@millrace/api';
import type { ExitCode } from './exit.ts';
import type { PrivateFiles } from './private-files.ts';
import { clean } from './render/width.ts';
import { DEFAULT_URL, findServer } from './running.ts';
import { type Environment, type Screen, type Stream, createScreen } from './screen.ts';
import { type Credentials, createCredentials } from './sign-in/credentials.ts';
import { type Tokens, createTokens } from './token.ts';
import { UsageError } from './usage-error.ts';
import { atMost } from './limits.ts';

/** All that a command gets from its process: tests bring their own. */
export interface World {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: Environment;
  readonly fetch: typeof globalThis.fetch;
  /** Where sign-ins are kept. */
  readonly files: PrivateFiles;
  /** The folder of this user. */
  readonly home: string;
  /** Where the command was typed. */
  readonly folder: string;
  /** Whether a process has this number. */
  processLives(pid: number): boolean;
  /** Shows a page to the person here; null where there is no screen for it. */
  readonly openBrowser: ((address: string) => void) | null;
  /** Milliseconds since 1970. */
  now(): number;
  /** Ends early, by throwing, when interrupted. */
  wait(ms: number): Promise<void>;
  /** Aborted by Ctrl-C. */
  readonly interrupted: AbortSignal;
  /** Opens a text in the editor of this user, and gives it as it was left. */
  edit(text: string): Promise<string>;
  /** Runs the server until it ends; null where it is not built. */
  runServer(): Promise<ExitCode> | null;
  /** What the server would stand on here, line by line; null where it is not built. */
  examine(): AsyncIterable<string> | null;
}

export interface Context {
  readonly world: World;
  /** Asks with the token of this server, where there is one. */
  readonly client: Client;
  /** The same server, asked with this token and no other. */
  readonly clientWith: (token: string) => Client;
  readonly url: string;
  /** What the server at this address tells its own user's command line, where it runs here. */
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
  const { url, running } = await findServer(
    { world, warn, note },
    named === null ? null : serviceUrl(named),
  );
  const tenant = world.env['MILLRACE_TENANT'];
  const server = {
    baseUrl: url,
    fetch: limitedFetch(world, url),
    ...(tenant && { headers: { [TENANT_HEADER]: encodeURIComponent(tenant) } }),
  };
  const clientWith = (token: string | null) =>
    createClient({ ...server, token: () => Promise.resolve(token) });
  const signIn = () => clientWith(null).signIn();
  const credentials = createCredentials(world, warn);
  const login = choices.url === undefined ? 'millrace login' : `millrace login --url ${url}`;
  const tokens = createTokens({
    world,
    url,
    login,
    signIn,
    credentials,
    local: running?.client ?? null,
  });
  return {
    world,
    client: createClient({
      ...server,
      token: async () => (await tokens.get())?.accessToken ?? null,
    }),
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
  };
}

function serviceUrl(given: string): string {
  const text = /^[a-z]+:\/\//i.test(given) ? given : `http://${given}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `"${given}" is not the address of a server. Write one such as ${DEFAULT_URL}.`,
    );
  }
  // fetch takes no such address. The sentence does not repeat it: it would stand in logs.
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('The address has a user or a password in it. Write it without them.');
  }
  // What listens at ::1 may be somebody else's: the name is to mean one address, the one that servers have by default.
  if (url.hostname === 'localhost') url.hostname = '127.0.0.1';
  return url.href.replace(/\/+$/, '');
}

function limitedFetch({ fetch, interrupted }: World, server: string): typeof globalThis.fetch {
  return async (input, init) => {
    const limitMs = limitOf(init);
    const ends = limitMs === null ? interrupted : atMost(limitMs, interrupted);
    // Who reads a stream ends it too: a line that is left open keeps the process.
    const signal = init?.signal ? AbortSignal.any([ends, init.signal]) : ends;
    // Not followed: the token is for this server alone, and a POST would arrive as a GET.
    const response = await fetch(input, { ...init, redirect: 'manual', signal });
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
  return `${server} sends its callers to ${to}. If you trust that, name it with --url or MILLRACE_URL.`;
}
