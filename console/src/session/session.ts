import type { SignIn } from '@millrace/api';
import { type Tokens, endpointsOf, isAnswerOf, redeem } from './issuer.ts';
import { askOtherTabs, readTokens, shareTokens, writeTokens } from './keep.ts';
import { removeLeftBehind } from './left-behind.ts';
import { newProof, randomText } from './pkce.ts';

/** Below the base of the page: the address that is registered with the issuer. */
export const CALLBACK = `${import.meta.env.BASE_URL}signed-in`;
const UNDERWAY = 'millrace.signing-in';
/** A token is renewed before its end, so that none ends on its way. */
const EARLY_MS = 60_000;

export interface Session {
  /** Before each call. Null where the server asks nobody who they are. */
  token(): Promise<string | null>;
  /** The service did not take this token, though its time has not come: a clock was wrong, or it was revoked. */
  refused(token: string): void;
  /** Resolves when somebody has signed in again, after the session has ended. Watchers hear once more that it has. */
  again(): Promise<void>;
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
  // What another tab gave is this tab's own from here on: the other may be closed before this one is reloaded.
  if (tokens !== null) writeTokens(tokens);
  let renewing: Promise<void> | null = null;
  const listeners = new Set<(signedIn: boolean) => void>();
  const others = shareTokens({
    given: keep,
    // To this tab after it had stopped waiting, which on a busy machine is soon, or to another one.
    answered: (next) => tokens === null && config.required && keep(next),
    // Signed out in another tab: what this one shows is not for whoever sits here next.
    ended: () => {
      sessionStorage.clear();
      location.reload();
    },
  });

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
    // Signed out meanwhile, or renewed by another tab.
    if (tokens?.refresh !== refresh) return;
    if (renewed !== null) others.give(renewed);
    // An issuer may take a refresh token once: of two tabs that renew at the same moment, one is refused and asks the other.
    keep(renewed ?? (await askOtherTabs(refresh)));
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
    refused(token) {
      if (tokens?.access === token) tokens = { ...tokens, expiresAt: 0 };
    },
    again: () =>
      new Promise((resolve) => {
        for (const listener of listeners) listener(false);
        const hear = (signedIn: boolean): void => {
          if (!signedIn) return;
          listeners.delete(hear);
          resolve();
        };
        listeners.add(hear);
      }),
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
      if (!beside) return location.assign(url);
      if (open(url, 'millrace-sign-in', 'popup,width=480,height=640') === null)
        throw new Error('The browser blocked the sign-in window. Allow pop-ups, or try again.');
    },
    async complete(answer) {
      const key = `${UNDERWAY}.${answer.get('state') ?? ''}`;
      const text = localStorage.getItem(key);
      localStorage.removeItem(key);
      if (text === null) throw new Error('This sign-in was not started here. Sign in again.');
      const underway = JSON.parse(text) as Underway;
      const endpoints = await endpointsOf(config);
      if (!isAnswerOf(answer, endpoints))
        throw new Error('The answer is from another sign-in service. Sign in again.');
      const code = answer.get('code');
      if (code === null)
        throw new Error(answer.get('error_description') ?? 'The sign-in was refused.');
      const redeemed = await redeem(endpoints.token_endpoint, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: new URL(CALLBACK, location.origin).href,
        client_id: config.clientId ?? '',
        code_verifier: underway.verifier,
      });
      if (redeemed === null)
        throw new Error('The sign-in service rejected the code. Sign in again.');
      keep(redeemed);
      others.give(redeemed);
      if (underway.beside) close();
      return underway.returnTo;
    },
    async signOut() {
      tokens = null;
      sessionStorage.clear();
      removeLeftBehind();
      others.end();
      const home = new URL(import.meta.env.BASE_URL, location.origin).href;
      // Signed out here even where the issuer does not answer.
      const end_session_endpoint = await endpointsOf(config).then(
        (endpoints) => endpoints.end_session_endpoint,
        () => undefined,
      );
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
