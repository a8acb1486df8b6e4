import type { SignIn } from '@millrace/api';
import { type Begun, type Issuer, type Tokens, openIssuer } from './issuer.ts';
import { askOtherTabs, readTokens, shareTokens, writeTokens } from './keep.ts';

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

interface Underway extends Pick<Begun, 'state' | 'verifier'> {
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
    const renewed = await (await issuerOf(config)).renew(refresh, scopeOf(config));
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
      const { url, state, verifier } = await (await issuerOf(config)).begin(scopeOf(config));
      const underway: Underway = { state, verifier, returnTo, beside };
      // Kept for all tabs: the answer to a window beside arrives in that window.
      localStorage.setItem(`${UNDERWAY}.${state}`, JSON.stringify(underway));
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
      const redeemed = await (await issuerOf(config)).redeem(answer, underway);
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
      const endSession = await issuerOf(config).then(
        (issuer) => issuer.endSession,
        () => null,
      );
      if (endSession === null) return location.assign(home);
      const url = new URL(endSession);
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

function issuerOf(config: SignIn): Promise<Issuer> {
  return openIssuer(config, new URL(CALLBACK, location.origin).href);
}

function scopeOf({ scope }: SignIn): string {
  return `openid profile offline_access ${scope ?? ''}`.trim();
}

/** Keys of unsaved input that survives reloads: tabs of queries, and sample data of templates. */
const PEOPLES = ['millrace.queries.', 'millrace.sample.'];

/** Clears the input of the person who signed out, so that the next one cannot read it. Theme and time format stay: they belong to the browser. */
function removeLeftBehind(): void {
  const names = Array.from({ length: localStorage.length }, (_, n) => localStorage.key(n) ?? '');
  for (const name of names) {
    if (PEOPLES.some((beginning) => name.startsWith(beginning))) localStorage.removeItem(name);
  }
}
