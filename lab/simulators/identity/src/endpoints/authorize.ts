import { type Answer, redirect } from '@millrace/simulator-kit';
import { isPublic, mayRedirect } from '../directory.ts';
import { type Handler, type Params, readParams } from '../http.ts';
import type { Issuer } from '../issuer.ts';
import type { Client, Settings, User } from '../options.ts';
import { Refusal } from '../refusal.ts';
import { type Scopes, parseScopes } from '../scopes.ts';
import { openSignIn } from './login.ts';

/**
 * While the client or its address is in doubt, refusals are shown here: sending the browser to an
 * address that nobody registered would make this issuer a way to anywhere.
 */
export function authorizeEndpoint(issuer: Issuer): Handler {
  return (incoming) => {
    const post = incoming.method === 'POST';
    const params = readParams(post ? incoming.form() : incoming.query);
    const client = issuer.directory.client(params.get('client_id'));
    if (client === undefined) throw new Refusal('invalid_request', 'There is no such client.');
    const redirectUri = params.get('redirect_uri');
    if (redirectUri === undefined || !mayRedirect(client, redirectUri)) {
      throw new Refusal('invalid_request', 'redirect_uri is missing or not one of this client.');
    }
    const reply = createReply(issuer.url, redirectUri, params);
    try {
      const known = issuer.remembered.find(incoming.headers);
      return ask(issuer, client, redirectUri, params, reply, known);
    } catch (thrown) {
      if (thrown instanceof Refusal) return reply.refuse(thrown);
      throw thrown;
    }
  };
}

function ask(
  issuer: Issuer,
  client: Client,
  redirectUri: string,
  params: Params,
  reply: Reply,
  known: User | undefined,
): Answer {
  const { codes, sessions } = issuer;
  const { scopes, challenge } = checkRequest(params, client, issuer.settings.api);
  const nonce = params.get('nonce');
  const prompts = params.get('prompt')?.split(' ') ?? [];
  const accept = (user: User): Answer => {
    const session = sessions.start(user, client, scopes);
    return reply.send({ code: codes.issue({ session, redirectUri, challenge, nonce }) });
  };
  const asks = prompts.includes('login') || prompts.includes('select_account');
  if (known !== undefined && !asks) return accept(known);
  if (prompts.includes('none')) {
    throw new Refusal('login_required', 'Nobody is signed in with this browser.');
  }
  return openSignIn(
    issuer,
    {
      client,
      userCode: null,
      returnsTo: new URL(redirectUri).origin,
      accept,
      refuse: () => reply.refuse(new Refusal('access_denied', 'The person refused to sign in.')),
    },
    params.get('login_hint'),
  );
}

interface Reply {
  send(values: Readonly<Record<string, string>>): Answer;
  refuse(refusal: Refusal): Answer;
}

/** The answer goes to the client through the browser, with its state and our name (RFC 9207). */
function createReply(iss: string, redirectUri: string, params: Params): Reply {
  const state = params.get('state');
  const inFragment = params.get('response_mode') === 'fragment';
  const send: Reply['send'] = (values) => {
    const given = { ...values, ...(state === undefined ? {} : { state }), iss };
    const url = new URL(redirectUri);
    if (inFragment) url.hash = new URLSearchParams(given).toString();
    else for (const [name, value] of Object.entries(given)) url.searchParams.append(name, value);
    return redirect(url.href);
  };
  return {
    send,
    refuse: ({ code, message }) => send({ error: code, error_description: message }),
  };
}

function checkRequest(
  params: Params,
  client: Client,
  api: Settings['api'],
): { scopes: Scopes; challenge: string | undefined } {
  if (params.has('request')) {
    throw new Refusal('request_not_supported', 'Send the parameters themselves.');
  }
  if (params.has('request_uri')) {
    throw new Refusal('request_uri_not_supported', 'Send the parameters themselves.');
  }
  const type = params.get('response_type');
  if (type === undefined) throw new Refusal('invalid_request', 'response_type is missing.');
  if (type !== 'code') throw new Refusal('unsupported_response_type', 'response_type is code.');
  if (!['query', 'fragment'].includes(params.get('response_mode') ?? 'query')) {
    throw new Refusal('invalid_request', 'response_mode is query or fragment.');
  }
  const scopes = parseScopes(params.get('scope'), api);
  const challenge = checkChallenge(params, client);
  return { scopes, challenge };
}

function checkChallenge(params: Params, client: Client): string | undefined {
  const challenge = params.get('code_challenge');
  const method = params.get('code_challenge_method');
  if (challenge === undefined && method === undefined && !isPublic(client)) return undefined;
  if (method !== 'S256' || challenge === undefined || !/^[\w-]{43}$/.test(challenge)) {
    throw new Refusal(
      'invalid_request',
      'code_challenge has to be a SHA-256 in base64url, with code_challenge_method=S256.',
    );
  }
  return challenge;
}
