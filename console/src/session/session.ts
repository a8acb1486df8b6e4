import type { SignIn } from '@millrace/api';
import { type Tokens, endpointsOf, redeem } from './issuer.ts';
import { askOtherTabs, readTokens, shareTokens, writeTokens } from './keep.ts';
import { newProof, randomText } from './pkce.ts';

/** Below the base of the page: the address that is registered with the issuer. */
export const CALLBACK = `${import.meta.env.BASE_URL}signed-in`;
const UNDERWAY = 'millrace.signing-in';
/** A token is renewed before its end, so that none ends on its way. */
const EARLY_MS = 60_000;

export interface Session {
  /** Before each call. Null where the server asks nobody who they are. */
  token(): Promise<string | null>;
  readonly isSignedIn: () => boolean;
  /** Leaves the page for the issuer, or opens a window beside it, so that a half-filled form survives. */
  signIn(params: { returnTo: string; beside?: boolean }): Promise<void>;
  /** On the page that the issuer sends the browser back to. Gives where the person wanted to go. */
  complete(answer: URLSearchParams): Promise<string>;
  signOut(): Promise<void>;
  /** Called when signed in (true), and when a token ended and could not be renewed (false). */
  watch(listener: (signedIn: boolean) => void): () => void;
}

interface Underway {
  readonly state: string;
  readonly verifier: string;
  readonly returnTo: string;
  readonly beside: boolean;
}

export async function openSession(config: SignIn): Promise<Session> {
  let tokens = config.required ? (readTokens() ?? (await askOtherTabs())) : null;
  let renewing: Promise<void> | null = null;
  const listeners = new Set<(signedIn: boolean) => void>();
  const give = shareTokens((given) => keep(given));

  function keep(next: Tokens | null): void {
    tokens = next;
    writeTokens(next);
    for (const listener of listeners) listener(next !== null);
  }

  async function renew(refresh: string): Promise<void> {
    const { token_endpoint } = await endpointsOf(config);
    const renewed = await redeem(token_endpoint, {
      grant_type: 'refresh_token',
      refresh_token: refresh,
      client_id: config.clientId ?? '',
      scope: scopeOf(config),
    });
    keep(renewed);
    if (renewed !== null) give(renewed);
  }

  return {
    isSignedIn: () => !config.required || tokens !== null,
    async token() {
      if (!config.required || tokens === null) return null;
      if (tokens.expiresAt - EARLY_MS < Date.now()) {
        if (tokens.refresh === null) keep(null);
        else {
          renewing ??= renew(tokens.refresh).finally(() => (renewing = null));
          await renewing;
        }
      }
      return tokens?.access ?? null;
    },
    async signIn({ returnTo, beside = false }) {
      const { authorization_endpoint } = await endpointsOf(config);
      const { verifier, challenge } = await newProof();
      const state = randomText(16);
      const underway: Underway = { state, verifier, returnTo, beside };
      // Kept for all tabs: the answer to a window beside arrives in that window.
      localStorage.setItem(`${UNDERWAY}.${state}`, JSON.stringify(underway));
      const url = new URL(authorization_endpoint);
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: config.clientId ?? '',
        redirect_uri: new URL(CALLBACK, location.origin).href,
        scope: scopeOf(config),
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }).toString();
      if (beside) open(url, 'millrace-sign-in', 'popup,width=480,height=640');
      else location.assign(url);
    },
    async complete(answer) {
      const key = `${UNDERWAY}.${answer.get('state') ?? ''}`;
      const text = localStorage.getItem(key);
      localStorage.removeItem(key);
      if (text === null) throw new Error('This sign-in was not begun here. Begin again.');
      const underway = JSON.parse(text) as Underway;
      const code = answer.get('code');
      if (code === null)
        throw new Error(answer.get('error_description') ?? 'The sign-in was refused.');
      const { token_endpoint } = await endpointsOf(config);
      const redeemed = await redeem(token_endpoint, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: new URL(CALLBACK, location.origin).href,
        client_id: config.clientId ?? '',
        code_verifier: underway.verifier,
      });
      if (redeemed === null)
        throw new Error('The sign-in service did not take its own code. Begin again.');
      keep(redeemed);
      give(redeemed);
      if (underway.beside) close();
      return underway.returnTo;
    },
    async signOut() {
      keep(null);
      const { end_session_endpoint } = await endpointsOf(config);
      const home = new URL(import.meta.env.BASE_URL, location.origin).href;
      if (end_session_endpoint === undefined) return location.assign(home);
      const url = new URL(end_session_endpoint);
      url.searchParams.set('client_id', config.clientId ?? '');
      url.searchParams.set('post_logout_redirect_uri', home);
      location.assign(url);
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function scopeOf({ scope }: SignIn): string {
  return `openid profile offline_access ${scope ?? ''}`.trim();
}
