import { redirect } from '@millrace/simulator-kit';
import { mayRedirect } from '../directory.ts';
import { type Handler, readParams } from '../http.ts';
import type { Issuer } from '../issuer.ts';
import { messagePage } from '../pages.ts';
import { Refusal } from '../refusal.ts';

/** Ends what the browser remembers, and the refresh tokens of the sign-in in `id_token_hint`. */
export function logoutEndpoint(issuer: Issuer): Handler {
  return async (incoming) => {
    const post = incoming.method === 'POST';
    const params = readParams(post ? incoming.form() : incoming.query);
    const hint = await readHint(issuer, params.get('id_token_hint'));
    const clientId = params.get('client_id') ?? hint?.clientId;
    if (hint !== null && hint.clientId !== clientId) {
      throw new Refusal('invalid_request', 'id_token_hint was given to another client.');
    }
    const target = params.get('post_logout_redirect_uri');
    const client = issuer.directory.client(clientId);
    if (target !== undefined && (client === undefined || !mayRedirect(client, target))) {
      throw new Refusal('invalid_request', 'post_logout_redirect_uri is not one of this client.');
    }
    const session = issuer.sessions.find(hint?.sessionId ?? '');
    if (session !== undefined) session.ended = true;
    if (target === undefined) {
      const said = messagePage(200, 'You are signed out', 'You can close this window.');
      return issuer.remembered.forget(incoming.headers, said);
    }
    const url = new URL(target);
    const state = params.get('state');
    if (state !== undefined) url.searchParams.append('state', state);
    return issuer.remembered.forget(incoming.headers, redirect(url.href));
  };
}

/** An expired token names its sign-in as well as a fresh one. */
async function readHint(issuer: Issuer, token: string | undefined) {
  if (token === undefined) return null;
  const claims = await issuer.keys.read(token);
  const { iss, aud, sid } = claims ?? {};
  if (iss !== issuer.url || typeof aud !== 'string' || typeof sid !== 'string') {
    throw new Refusal('invalid_request', 'id_token_hint is not an id token of this issuer.');
  }
  return { clientId: aud, sessionId: sid };
}
