import type { SignIn } from '@millrace/api';
import { z } from 'zod';

const discovery = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  end_session_endpoint: z.url().optional(),
  authorization_response_iss_parameter_supported: z.boolean().default(false),
});
export type Endpoints = z.infer<typeof discovery>;

const granted = z.object({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  expires_in: z.coerce.number().default(3600),
});

/** What a sign-in gives. `expiresAt`: milliseconds since 1970. */
export interface Tokens {
  readonly access: string;
  readonly refresh: string | null;
  readonly expiresAt: number;
}

export async function endpointsOf({ issuer }: SignIn): Promise<Endpoints> {
  if (issuer === null) throw new Error('This server has no sign-in service configured.');
  const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (!response.ok) throw new Error(`The sign-in service answered ${response.status}.`);
  const found = discovery.parse(await response.json());
  // OpenID Connect Discovery, 4.3: a document of another issuer could send the person, and the code, elsewhere.
  if (found.issuer !== issuer)
    throw new Error(
      `The sign-in service identifies itself as ${found.issuer}; this server trusts ${issuer}.`,
    );
  return found;
}

/** RFC 9207: an answer that names its issuer is of that one, and an issuer that says it names itself does. */
export function isAnswerOf(
  answer: URLSearchParams,
  { issuer, authorization_response_iss_parameter_supported: saysIssuer }: Endpoints,
): boolean {
  const named = answer.getAll('iss');
  return named.length === 0 ? !saysIssuer : named.every((iss) => iss === issuer);
}

/** Redeems a code or a refresh token. Null: the issuer does not take it any more. */
export async function redeem(
  endpoint: string,
  form: Record<string, string>,
): Promise<Tokens | null> {
  const response = await fetch(endpoint, { method: 'POST', body: new URLSearchParams(form) });
  if (response.status >= 400 && response.status < 500) return null;
  if (!response.ok) throw new Error(`The sign-in service answered ${response.status}.`);
  const { access_token, refresh_token, expires_in } = granted.parse(await response.json());
  return {
    access: access_token,
    refresh: refresh_token ?? null,
    expiresAt: Date.now() + expires_in * 1000,
  };
}
