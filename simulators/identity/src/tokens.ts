import { randomUUID } from 'node:crypto';
import { pairwiseSubject, stableUuid } from './identifiers.ts';
import type { KeyRing } from './keys.ts';
import type { Client, Settings } from './options.ts';
import { DELEGATED, type Scopes, isForApi } from './scopes.ts';
import type { Session } from './sessions.ts';

/** Microsoft Graph: who signs in without a scope of the API gets a token for Graph, of no use to the API. */
const GRAPH = '00000003-0000-0000-c000-000000000000';

export interface Tokens {
  /** A client's own token (client credentials). */
  forApp(client: Client): Promise<string>;
  forUser(session: Session, scopes: Scopes): Promise<string>;
  idToken(session: Session, scopes: Scopes, nonce: string | undefined): Promise<string>;
  /** A token with anything overridden; `undefined` takes a claim away. */
  sign(claims: Record<string, unknown>, kid?: string): Promise<string>;
}

/** Tokens with the claims of Entra's v2.0. Ids are derived from names, so restarts do not change them. */
export function createTokens(settings: Settings, issuer: string, keys: KeyRing): Tokens {
  const { audience, tenant } = settings;
  const tenantId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(tenant)
    ? tenant.toLowerCase()
    : stableUuid('tenant', tenant);

  function common(aud: string) {
    const iat = Math.floor(settings.now() / 1000);
    const exp = iat + settings.tokenLifetimeSeconds;
    return { iss: issuer, aud, iat, nbf: iat, exp, tid: tenantId, uti: randomUUID(), ver: '2.0' };
  }

  function person({ user }: Session, aud: string) {
    const oid = stableUuid('user', tenant, user.username);
    return { oid, sub: pairwiseSubject(oid, aud) };
  }

  return {
    forApp(client) {
      const oid = stableUuid('client', tenant, client.id);
      return keys.sign({
        ...common(audience),
        ...caller(client),
        idtyp: 'app',
        oid,
        sub: oid,
        ...someRoles(client.roles),
      });
    },
    forUser(session, scopes) {
      const forApi = isForApi(scopes, audience);
      const aud = forApi ? audience : GRAPH;
      return keys.sign({
        ...common(aud),
        ...caller(session.client),
        ...person(session, aud),
        name: session.user.name,
        preferred_username: session.user.username,
        scp: forApi ? DELEGATED : scopes.join(' '),
        sid: session.id,
        ...(forApi ? someRoles(session.user.roles) : {}),
      });
    },
    idToken(session, scopes, nonce) {
      const { user, client } = session;
      return keys.sign({
        ...common(client.id),
        ...person(session, client.id),
        auth_time: Math.floor(session.signedInAt / 1000),
        sid: session.id,
        ...(nonce === undefined ? {} : { nonce }),
        ...(scopes.includes('profile')
          ? { name: user.name, preferred_username: user.username }
          : {}),
        ...(scopes.includes('email') && user.username.includes('@')
          ? { email: user.username }
          : {}),
      });
    },
    sign(claims, kid) {
      const oid = stableUuid('test', tenant);
      return keys.sign({ ...common(audience), oid, sub: oid, ...claims }, kid);
    },
  };
}

/** The program that asked: `azpacr` says how it proved itself, 1 with a secret, 0 not at all. */
function caller(client: Client) {
  return { azp: client.id, azpacr: client.secret === undefined ? '0' : '1' };
}

/** Entra leaves the claim out when there are none. */
function someRoles(roles: readonly string[] = []) {
  return roles.length === 0 ? {} : { roles };
}
