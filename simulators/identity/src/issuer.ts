import { issuerOf } from './claims.ts';
import { type Codes, createCodes } from './codes.ts';
import { type Devices, createDevices } from './devices.ts';
import { type Directory, createDirectory } from './directory.ts';
import { type IdentityFaultBoard, createFaults } from './faults.ts';
import type { KeyRing } from './keys.ts';
import { randomSecret } from './identifiers.ts';
import type { Settings } from './options.ts';
import { type Remembered, createRemembered } from './remembered.ts';
import { type Sessions, createSessions } from './sessions.ts';
import { type Tokens, createTokens } from './tokens.ts';
import { type Transactions, createTransactions } from './transactions.ts';

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
