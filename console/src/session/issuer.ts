import type { SignIn } from '@millrace/api';
import { z } from 'zod';

const discovery = z.object({
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  end_session_endpoint: z.url().optional(),
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
  if (issuer === null) throw new Error('This server names no issuer to sign in with.');
  const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (!response.ok) throw new Error(`The sign-in service answered ${response.status}.`);
  return discovery.parse(await response.json());
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
