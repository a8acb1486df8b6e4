import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Answer, type Clock, json } from '@millrace/simulator-kit';
import type { Cloud } from '../cloud.ts';
import type { Client, Settings } from '../options.ts';

/** The permissions of an installed package, as far as anything here looks at them. */
export const SCOPES = [
  'automations_execute',
  'automations_read',
  'automations_write',
  'data_extensions_read',
  'data_extensions_write',
] as const;
export type Scope = (typeof SCOPES)[number];

const ERROR_URI = 'https://developer.salesforce.com/docs';

/** `POST /v2/token` ("Get Access Token for Server-to-Server Integrations"), in JSON. */
export function tokenEndpoint(cloud: Cloud, body: Buffer): Answer {
  const form = formOf(body);
  if (form === null) return refused(400, 'invalid_request', 'The request body is not valid JSON.');
  const { grant_type: grant, client_id: id, client_secret: secret, account_id: account } = form;
  if (grant !== 'client_credentials') {
    return refused(400, 'unsupported_grant_type', `Unsupported grant type: ${grant ?? ''}`);
  }
  const client = cloud.settings.clients.find(({ clientId }) => clientId === id);
  if (client === undefined || !isSame(client.secret, secret ?? '')) {
    return badClient();
  }
  const own = client.mids ?? cloud.settings.units.map((unit) => unit.mid);
  const mid = account ?? own[0] ?? '';
  if (!own.includes(mid)) {
    return refused(
      400,
      'invalid_request',
      'The account_id is not valid for this client, or the package is not installed there.',
    );
  }
  return json(200, tokenAnswer(cloud, client, mid));
}

export function badClient(): Answer {
  return refused(
    401,
    'invalid_client',
    'Invalid client ID. Use the client ID in Marketing Cloud Installed Packages.',
  );
}

function tokenAnswer(cloud: Cloud, client: Client, mid: string): Record<string, unknown> {
  const { origin } = cloud.home;
  return {
    access_token: cloud.tokens.issue(client, mid),
    token_type: 'Bearer',
    expires_in: cloud.settings.tokenSeconds,
    scope: (client.scopes ?? SCOPES).join(' '),
    soap_instance_url: `${origin}/`,
    rest_instance_url: `${origin}/`,
  };
}

function refused(status: number, error: string, error_description: string): Answer {
  return json(status, { error, error_description, error_uri: ERROR_URI });
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** The members as text: a client may send account_id as a number. */
function formOf(body: Buffer): Partial<Record<string, string>> | null {
  try {
    const sent: unknown = JSON.parse(body.toString('utf8'));
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return null;
    const given = Object.entries(sent).filter(([, value]) => value !== null && value !== '');
    return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  } catch {
    return null;
  }
}

/** A token serves the MID that it was made for, and no other. */
interface Session {
  readonly client: Client;
  readonly mid: string;
  readonly expiresAt: number;
}

export interface Tokens {
  issue(client: Client, mid: string): string;
  /** Null: it has expired, or was never given. */
  find(token: string): Session | null;
  end(token: string): void;
  endAll(): void;
}

export function createTokens(clock: Clock, { tokenSeconds }: Settings): Tokens {
  const sessions = new Map<string, Session>();

  function forgetExpired(): void {
    for (const [token, { expiresAt }] of sessions) {
      if (expiresAt <= clock.now()) sessions.delete(token);
    }
  }

  return {
    issue(client, mid) {
      forgetExpired();
      const token = randomBytes(48).toString('base64url');
      sessions.set(token, { client, mid, expiresAt: clock.now() + tokenSeconds * 1000 });
      return token;
    },
    find(token) {
      const session = sessions.get(token);
      return session !== undefined && session.expiresAt > clock.now() ? session : null;
    },
    end: (token) => void sessions.delete(token),
    endAll: () => sessions.clear(),
  };
}
