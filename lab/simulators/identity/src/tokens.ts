import {
  type Claims,
  type Version,
  appClaims,
  audienceOf,
  clientClaims,
  frameOf,
  personClaims,
  roleClaims,
} from './claims.ts';
import { pairwiseSubject, stableUuid } from './identifiers.ts';
import type { KeyRing } from './keys.ts';
import type { Client, Settings } from './options.ts';
import { DELEGATED, type Scopes, resourceOf } from './scopes.ts';
import type { Session } from './sessions.ts';

/** Microsoft Graph: who signs in without a scope of the API gets a token for Graph, of no use to the API. */
const GRAPH = '00000003-0000-0000-c000-000000000000';

export interface Tokens {
  /** A client's own token (client credentials) for the API, which the request called `resource`. */
  forApp(client: Client, resource: string): Promise<string>;
  forUser(session: Session, scopes: Scopes): Promise<string>;
  idToken(session: Session, scopes: Scopes, nonce: string | undefined): Promise<string>;
  /** A token with anything overridden; `undefined` takes a claim away. */
  sign(claims: Record<string, unknown>, kid?: string): Promise<string>;
}

/** Ids are derived from names, so restarts do not change them. */
export function createTokens(settings: Settings, origin: string, keys: KeyRing): Tokens {
  const { api, tenant } = settings;
  const version = api.tokenVersion;
  const frame = (aud: string, of: Version) => frameOf(settings, origin, of, aud);
  const accessFrame = (resource: string): Claims => {
    const claims = frame(audienceOf(api, resource), version);
    return version === 1 ? { ...claims, idp: claims['iss'] } : claims;
  };

  /** `sub` differs per application, `oid` does not. */
  function person({ user }: Session, applicationId: string): Claims {
    const oid = stableUuid('user', tenant, user.username);
    return { oid, sub: pairwiseSubject(oid, applicationId) };
  }

  return {
    forApp: (client, resource) =>
      keys.sign({
        ...accessFrame(resource),
        ...clientClaims(client, version),
        ...appClaims(client, settings),
        ...roleClaims(client.roles),
      }),
    forUser(session, scopes) {
      const { user, client } = session;
      const resource = resourceOf(scopes, api);
      const hasProfile = scopes.includes('profile');
      if (resource === null) {
        return keys.sign({
          ...frame(GRAPH, 2),
          ...clientClaims(client, 2),
          ...person(session, GRAPH),
          ...personClaims(user, 2, hasProfile),
          scp: scopes.join(' '),
        });
      }
      return keys.sign({
        ...accessFrame(resource),
        ...clientClaims(client, version),
        ...person(session, api.clientId),
        ...personClaims(user, version, hasProfile),
        scp: DELEGATED,
        ...user.claims,
        ...roleClaims(user.roles),
      });
    },
    idToken(session, scopes, nonce) {
      const { user, client } = session;
      return keys.sign({
        ...frame(client.id, 2),
        ...person(session, client.id),
        auth_time: Math.floor(session.signedInAt / 1000),
        sid: session.id,
        ...(nonce === undefined ? {} : { nonce }),
        ...personClaims(user, 2, scopes.includes('profile')),
        ...(scopes.includes('email') && user.username.includes('@')
          ? { email: user.username }
          : {}),
      });
    },
    sign(claims, kid) {
      const oid = stableUuid('test', tenant);
      return keys.sign({ ...accessFrame(api.appIdUri), oid, sub: oid, ...claims }, kid);
    },
  };
}
