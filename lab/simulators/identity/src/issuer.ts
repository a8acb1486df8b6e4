import { issuerOf } from './claims.ts';
import { type Codes, createCodes } from './codes.ts';
import { createDevices, type Devices } from './devices.ts';
import { createDirectory, type Directory } from './directory.ts';
import { createFaults, type IdentityFaultBoard } from './faults.ts';
import type { KeyRing } from './keys.ts';
import { randomSecret } from './identifiers.ts';
import type { Settings, User } from './options.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { createTransactions, type Transactions } from './transactions.ts';
import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from '@millrace/simulator-kit';
import { createBoundedMap } from './bounded-map.ts';

/** All that the endpoints share. */
export interface Issuer {
  readonly settings: Settings;
  readonly origin: string;
  /** As discovery names it: the `iss` of id tokens, and of access tokens of version 2. */
  readonly url: string;
  readonly paths: Paths;
  readonly keys: KeyRing;
  readonly tokens: Tokens;
  readonly directory: Directory;
  readonly sessions: Sessions;
  readonly codes: Codes;
  readonly devices: Devices;
  readonly transactions: Transactions;
  readonly remembered: Remembered;
  /** The ticket of links that sign somebody in. */
  readonly entrance: string;
  readonly faults: IdentityFaultBoard;
}

type Paths = ReturnType<typeof pathsOf>;

export function createIssuer(settings: Settings, origin: string, keys: KeyRing): Issuer {
  const url = issuerOf(settings, origin, 2);
  return {
    settings,
    origin,
    url,
    paths: pathsOf(settings.tenant),
    keys,
    tokens: createTokens(settings, origin, keys),
    directory: createDirectory(settings),
    sessions: createSessions(settings.now),
    codes: createCodes(settings.now),
    devices: createDevices(settings.now),
    transactions: createTransactions(settings.now),
    remembered: createRemembered(settings.now),
    entrance: randomSecret(),
    faults: createFaults(),
  };
}

/** Entra's, but for the three pages at the end. */
function pathsOf(tenant: string) {
  return {
    discovery: `/${tenant}/v2.0/.well-known/openid-configuration`,
    jwks: `/${tenant}/discovery/v2.0/keys`,
    authorize: `/${tenant}/oauth2/v2.0/authorize`,
    token: `/${tenant}/oauth2/v2.0/token`,
    devicecode: `/${tenant}/oauth2/v2.0/devicecode`,
    logout: `/${tenant}/oauth2/v2.0/logout`,
    device: `/${tenant}/device`,
    login: `/${tenant}/login`,
    enter: `/${tenant}/enter`,
  };
}

const LASTS_MS = 24 * 3_600_000;
const COOKIE = 'sandbox_signed_in';

/** Who is signed in with which browser, as Entra's own session remembers it: the next sign-in then asks nothing. */
interface Remembered {
  find(headers: IncomingHttpHeaders): User | undefined;
  /** The same answer, which also makes the browser remember. */
  remember(user: User, answer: Answer): Answer;
  forget(headers: IncomingHttpHeaders, answer: Answer): Answer;
}

function createRemembered(now: () => number): Remembered {
  const users = createBoundedMap<User>({ most: 1_000, lifetimeMs: LASTS_MS, now });
  return {
    find: (headers) => users.get(idIn(headers)),
    remember(user, answer) {
      const id = randomSecret();
      users.set(id, user);
      return withCookie(answer, `${id}; Max-Age=${LASTS_MS / 1000}`);
    },
    forget(headers, answer) {
      users.delete(idIn(headers));
      return withCookie(answer, '; Max-Age=0');
    },
  };
}

function idIn({ cookie = '' }: IncomingHttpHeaders): string {
  const found = cookie.split(/; */).find((each) => each.startsWith(`${COOKIE}=`));
  return found?.slice(COOKIE.length + 1) ?? '';
}

/** Lax: it comes along when a page of another port sends the browser here, and not with what such a page posts. */
function withCookie(answer: Answer, value: string): Answer {
  const cookie = `${COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax`;
  return { ...answer, headers: { ...answer.headers, 'set-cookie': cookie } };
}
