import type { IncomingMessage, ServerResponse } from 'node:http';
import { PREFLIGHT, corsHeaders, isOwnHost, mayPost } from './guard.ts';
import { type Answer, type Incoming, json, parseForm, readBody } from './http.ts';
import type { Issuer } from './issuer.ts';
import { messagePage } from './pages.ts';
import { Refusal } from './refusal.ts';
import { type Route, routesOf } from './routes.ts';

/** Requests that reached an endpoint, refused or not; `other` reached none. */
export type Requests = Record<keyof Issuer['paths'] | 'other', number>;

const MISTAKE = json(500, {
  error: 'server_error',
  error_description: 'Something went wrong here. The log of the process says what.',
});

interface Service {
  readonly requests: Readonly<Requests>;
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** The way of a request: is it for us, is it for an endpoint, may it, what is the answer. */
export function createService(issuer: Issuer): Service {
  const routes = routesOf(issuer);
  const requests: Requests = {
    discovery: 0,
    jwks: 0,
    token: 0,
    authorize: 0,
    devicecode: 0,
    device: 0,
    login: 0,
    logout: 0,
    other: 0,
  };

  async function answerTo(request: IncomingMessage, body: Buffer): Promise<Answer> {
    if (!isOwnHost(issuer.settings, request.headers.host)) {
      return messagePage(421, 'Wrong address', 'This issuer answers to its own name only.');
    }
    const path = request.url ?? '';
    const url = path.startsWith('/') ? new URL(issuer.origin + path) : null;
    const route = routes.get(url?.pathname ?? '');
    requests[request.method === 'OPTIONS' || route === undefined ? 'other' : route.name] += 1;
    if (url === null || route === undefined) {
      return messagePage(404, 'Nothing here', `The issuer is ${issuer.url}.`);
    }
    const cors = corsHeaders(route, request.headers);
    const answer = await answerOf(route, request, url.searchParams, body);
    return { ...answer, headers: { ...answer.headers, ...cors } };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await readBody(request);
      if (body === null) response.destroy();
      else send(response, await answerTo(request, body));
    } catch (thrown) {
      // A mistake of ours: its place is the log of the process, not the answer.
      process.emitWarning(thrown instanceof Error ? thrown : String(thrown));
      if (response.headersSent) response.destroy();
      else send(response, MISTAKE);
    }
  }

  return { requests, serve };
}

async function answerOf(
  route: Route,
  request: IncomingMessage,
  query: URLSearchParams,
  body: Buffer,
): Promise<Answer> {
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  if (method === 'OPTIONS') return { status: 204, headers: PREFLIGHT, body: '' };
  const handler = method === 'GET' || method === 'POST' ? route[method] : undefined;
  const incoming: Incoming = {
    method,
    query,
    headers: request.headers,
    form: () => parseForm(request.headers['content-type'], body),
  };
  try {
    if (handler === undefined) {
      throw new Refusal('invalid_request', 'This address does not take that method.', 405);
    }
    if (method === 'POST' && !mayPost(route, request.headers)) {
      throw new Refusal('invalid_request', 'A page of that origin may not post here.', 403);
    }
    return await handler(incoming);
  } catch (thrown) {
    if (thrown instanceof Refusal) return refused(route, thrown);
    throw thrown;
  }
}

function refused(route: Route, { code, message, status }: Refusal): Answer {
  const answer =
    route.reader === 'person'
      ? messagePage(status, 'This sign-in cannot go on', `${message} (${code})`)
      : json(status, { error: code, error_description: message });
  const allow = ['GET', 'POST'].filter((method) => method in route).join(', ');
  return {
    ...answer,
    headers: {
      ...answer.headers,
      ...(status === 401 ? { 'www-authenticate': 'Basic realm="token"' } : {}),
      ...(status === 405 ? { allow } : {}),
    },
  };
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(body);
}
