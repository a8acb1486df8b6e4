import type { RunningServer, SignIn } from '@millrace/api';
import type { World } from '../world.ts';
import { isTransient } from '../failure.ts';
import { isSafeAddress } from '../sign-in/address.ts';
import type { Credentials, SignedIn } from '../sign-in/credentials.ts';
import type { ClientAccount, Grant, Issuer } from '../sign-in/issuer.ts';
import { SignInError } from '../sign-in/sign-in-error.ts';
import { UsageError } from '../line/usage-error.ts';

/** Where a token comes from, in the order in which they are asked. docs/cli.md has the same list. */
const SOURCES: readonly Source[] = [
  { name: 'environment', find: fromEnvironment },
  { name: 'client', find: fromClientOfEnvironment },
  { name: 'login', find: fromLogin },
  { name: 'local', find: fromLocalClient },
];

export type SourceName = 'environment' | 'client' | 'login' | 'local';

interface Source {
  readonly name: SourceName;
  /** Null: not from here. Throws where there ought to be one. */
  find(place: Place): Promise<Found | null>;
}

type Found = Pick<Grant, 'accessToken' | 'expiresAt'>;

export interface Token extends Found {
  readonly source: SourceName;
}

/** The one server that tokens are got for, and what is needed to get them. */
export interface Place {
  readonly world: World;
  readonly url: string;
  /** `millrace login`, as it has to be typed for this server. */
  readonly login: string;
  /** The server's sign-in details, fetched without a token. */
  signIn(): Promise<SignIn>;
  readonly credentials: Credentials;
  /** The client by which a local server admits programs of this user. */
  readonly local: RunningServer['client'];
}

export interface Tokens {
  /** Kept for the run, and renewed when it is about to end; null where there is none. */
  get(): Promise<Token | null>;
  /** Advice when the server needs a token, or refuses this one. */
  advice(): string;
}

/** So much earlier than it ends a token is renewed: clocks differ, and requests take their time. */
const MARGIN_MS = 60_000;

export function createTokens(place: Place): Tokens {
  const { login } = place;
  let last: Token | null | undefined;
  let asking: Promise<Token | null> | null = null;

  async function find(): Promise<Token | null> {
    for (const { name, find: look } of SOURCES) {
      const found = await look(place);
      if (found !== null) return (last = tokenOf(found, name));
    }
    return (last = null);
  }

  return {
    get() {
      if (last !== undefined && !isEnding(last, place.world.now())) return Promise.resolve(last);
      // Ten requests at once wait for one token.
      asking ??= find().finally(() => (asking = null));
      return asking;
    },
    advice() {
      switch (last?.source) {
        case 'environment':
          return `Set MILLRACE_TOKEN to a new one, or unset it and sign in: ${login}`;
        case 'client':
          return 'Check MILLRACE_CLIENT_ID and MILLRACE_CLIENT_SECRET.';
        case 'login':
          return `Sign in again: ${login}`;
        case 'local':
          return 'Start the server again: npm start';
        case undefined:
          return `Sign in first: ${login}`;
      }
    },
  };
}

/** Checks the token's characters first: fetch's error about an invalid header would contain the token. */
function tokenOf({ accessToken, expiresAt }: Found, source: SourceName): Token {
  if (/^[\w.~+/-]+=*$/.test(accessToken)) return { accessToken, expiresAt, source };
  throw new SignInError(
    'refused',
    'The token has characters that a token cannot have. Get another one.',
  );
}

function isEnding(token: Found | null, now: number): boolean {
  return token?.expiresAt != null && token.expiresAt - now < MARGIN_MS;
}

async function fromEnvironment({ world }: Place): Promise<Found | null> {
  const accessToken = world.env['MILLRACE_TOKEN']?.trim() ?? '';
  return accessToken === '' ? null : { accessToken, expiresAt: null };
}

/** MILLRACE_CLIENT_ID alone is a setting of the server, and may well stand in the same environment. */
async function fromClientOfEnvironment(place: Place): Promise<Found | null> {
  const { MILLRACE_CLIENT_ID: clientId, MILLRACE_CLIENT_SECRET: clientSecret } = place.world.env;
  if (!clientSecret) return null;
  if (!clientId) {
    throw new UsageError('MILLRACE_CLIENT_SECRET is set: set MILLRACE_CLIENT_ID as well.');
  }
  checkServer(place.url);
  const { required, issuer, scope } = await place.signIn();
  if (!required || issuer === null) return null;
  const found = await issuerFor(place.world, { issuer, clientId, clientSecret });
  return found.asItself(scope);
}

async function fromLogin(place: Place): Promise<Found | null> {
  const { url, world, credentials } = place;
  const kept = await credentials.find(url);
  if (kept === null || !isEnding(kept, world.now())) return kept;
  return credentials.update(url, async (now) => {
    // Another run may have renewed it, or signed out, while this one waited.
    if (now === null || !isEnding(now, world.now())) return now;
    return renewed(place, now);
  });
}

async function renewed({ world, login }: Place, kept: SignedIn): Promise<SignedIn> {
  const ended = kept.expiresAt !== null && kept.expiresAt <= world.now();
  if (kept.refreshToken === null) {
    if (!ended) return kept;
    throw new SignInError('needed', `Your sign-in has expired. Sign in again: ${login}`);
  }
  try {
    const issuer = await issuerFor(world, kept);
    return { ...kept, ...(await issuer.refresh(kept.refreshToken)) };
  } catch (thrown) {
    if (!(thrown instanceof SignInError)) throw thrown;
    if (!isTransient(thrown)) {
      throw new SignInError('needed', `${thrown.message} Sign in again: ${login}`);
    }
    if (ended) throw thrown;
    return kept;
  }
}

async function fromLocalClient({ world, local }: Place): Promise<Found | null> {
  if (local === null) return null;
  try {
    return await (await issuerFor(world, local)).asItself(local.scope);
  } catch (thrown) {
    // The sandbox is one process: that nothing listens is better said of the server.
    if (isTransient(thrown)) return null;
    throw thrown;
  }
}

/** Whoever could pose as the server would name their own issuer, and get the secret. */
export function checkServer(url: string): void {
  if (isSafeAddress(new URL(url))) return;
  throw new SignInError(
    'refused',
    `${url} is not encrypted, so its issuer cannot be trusted. Use https; plain http is allowed only on this machine.`,
  );
}

/** Loaded when needed: most runs ask no issuer, and openid-client takes 16 to 27 ms to load. */
export async function issuerFor(world: World, account: ClientAccount): Promise<Issuer> {
  const { findIssuer } = await import('../sign-in/issuer.ts');
  return findIssuer(world, account);
}
