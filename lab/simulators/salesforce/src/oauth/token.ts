import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Row } from '../data/database.ts';
import type { ConnectedApp } from '../options.ts';
import type { Org } from '../org.ts';
import { OAuthError, readAssertion } from './assertion.ts';
import type { Sessions } from './sessions.ts';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Clients may be set up for the real login hosts: that they name them is no reason to refuse them here. */
const LOGIN_HOSTS = ['https://login.salesforce.com', 'https://test.salesforce.com'];

export interface TokenAnswer {
  readonly access_token: string;
  readonly signature: string;
  readonly scope: string;
  readonly instance_url: string;
  readonly id: string;
  readonly token_type: 'Bearer';
  readonly issued_at: string;
}

/** `POST /services/oauth2/token`. No answer has `expires_in`: a session slides. */
export function tokenEndpoint(org: Org, sessions: Sessions) {
  return (form: URLSearchParams, authorization: string | undefined): TokenAnswer => {
    const user = userFor(org, form, authorization);
    const { origin, organizationId } = org.home;
    const issuedAt = String(org.clock.now());
    const id = org.identityUrl(user.Id);
    return {
      access_token: sessions.open(organizationId, user.Id),
      signature: createHmac('sha256', 'simulator')
        .update(id + issuedAt)
        .digest('base64'),
      scope: 'api web',
      instance_url: origin,
      id,
      token_type: 'Bearer',
      issued_at: issuedAt,
    };
  };
}

function userFor(org: Org, form: URLSearchParams, authorization: string | undefined): Row {
  const grant = form.get('grant_type');
  const { apps } = org.settings;
  if (grant === JWT_BEARER) {
    const { app, username } = readAssertion(form.get('assertion') ?? '', {
      apps,
      audiences: [org.home.origin, ...LOGIN_HOSTS],
      now: org.clock.now(),
    });
    const user = findUser(org, username);
    const isApproved = app.approved?.includes(username) ?? true;
    if (user === undefined || !isApproved) {
      throw new OAuthError('invalid_grant', "user hasn't approved this consumer");
    }
    return user;
  }
  if (grant === 'client_credentials') {
    const app = authenticate(apps, form, authorization);
    const user = findUser(org, app.runAs ?? org.settings.users[0]?.username ?? '');
    if (user === undefined)
      throw new OAuthError('invalid_grant', 'no client credentials user enabled');
    return user;
  }
  throw new OAuthError('unsupported_grant_type', 'grant type not supported');
}

function authenticate(
  apps: readonly ConnectedApp[],
  form: URLSearchParams,
  authorization: string | undefined,
): ConnectedApp {
  const basic = /^Basic (.+)$/i.exec(authorization ?? '')?.[1];
  const [user, ...rest] = Buffer.from(basic ?? '', 'base64')
    .toString('utf8')
    .split(':');
  const clientId = basic === undefined ? form.get('client_id') : (user ?? '');
  const secret = basic === undefined ? form.get('client_secret') : rest.join(':');
  const app = apps.find((each) => each.clientId === clientId);
  if (app === undefined) throw new OAuthError('invalid_client_id', 'client identifier invalid');
  if (app.secret === undefined) {
    throw new OAuthError('invalid_grant', 'no client credentials user enabled');
  }
  if (secret === null || !isSame(app.secret, secret)) {
    throw new OAuthError('invalid_client', 'invalid client credentials');
  }
  return app;
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

export function findUser(org: Org, username: string): Row | undefined {
  const wanted = username.toLowerCase();
  for (const row of org.database.rows(org.schema.require('User'))) {
    if (String(row['Username']).toLowerCase() === wanted) return row;
  }
  return undefined;
}

/** `userinfo` and the identity address. */
export function identityOf(org: Org, userId: string): Record<string, unknown> {
  const user = org.database.get(userId);
  return {
    id: org.identityUrl(userId),
    asserted_user: true,
    sub: org.identityUrl(userId),
    user_id: userId,
    organization_id: org.home.organizationId,
    username: user?.['Username'] ?? '',
    preferred_username: user?.['Username'] ?? '',
    name: user?.['Name'] ?? '',
    display_name: user?.['Name'] ?? '',
    email: user?.['Email'] ?? '',
    active: true,
    user_type: 'STANDARD',
    urls: {
      rest: `${org.home.origin}/services/data/v{version}/`,
      sobjects: `${org.home.origin}/services/data/v{version}/sobjects/`,
      query: `${org.home.origin}/services/data/v{version}/query/`,
    },
  };
}
