import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Answer, isInside, isLoopbackOrigin, isOwnPage, json } from '@millrace/simulator-kit';
import { type Incoming, parseForm } from './http.ts';
import { createPages, type Requests } from './inside.ts';
import type { Issuer } from './issuer.ts';
import { messagePage } from './pages.ts';
import { Refusal } from './refusal.ts';
import { type Route, routesOf } from './routes.ts';

interface Service {
  readonly requests: Readonly<Requests>;
  serve(request: IncomingMessage, body: Buffer): Promise<Answer>;
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
    enter: 0,
    logout: 0,
    other: 0,
  };

  const inside = createPages(issuer, requests);

  async function serve(request: IncomingMessage, body: Buffer): Promise<Answer> {
    if (isInside(request)) return inside(request, body);
    const path = request.url ?? '';
    const url = path.startsWith('/') ? new URL(issuer.origin + path) : null;
    const route = routes.get(url?.pathname ?? '');
    requests[request.method === 'OPTIONS' || route === undefined ? 'other' : route.name] += 1;
    if (url === null || route === undefined) {
      return messagePage(404, 'Nothing here', `The issuer is ${issuer.url}.`);
    }
    const cors = corsHeaders(route, request.headers);
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
    const answer = await answerOf(route, {
      method,
      query: url.searchParams,
      headers: request.headers,
      form: () => parseForm(request.headers['content-type'], body),
      strikes: issuer.faults.meet(method, url.pathname),
    });
    return { ...answer, headers: { ...answer.headers, ...cors } };
  }

  return { requests, serve };
}

async function answerOf(route: Route, incoming: Incoming): Promise<Answer> {
  const { method, headers } = incoming;
  if (method === 'OPTIONS') return { status: 204, headers: PREFLIGHT, body: '' };
  const handler = method === 'GET' || method === 'POST' ? route[method] : undefined;
  try {
    if (handler === undefined) {
      throw new Refusal('invalid_request', 'This address does not take that method.', 405);
    }
    if (method === 'POST' && !mayPost(route, headers)) {
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

function mayPost({ pages }: Route, headers: IncomingHttpHeaders): boolean {
  if (pages === 'any' || isOwnPage(headers)) return true;
  return pages === 'loopback' && isLoopbackOrigin(headers.origin ?? '');
}

/** CORS: a console on this machine may read what programs may. */
function corsHeaders(
  { pages }: Route,
  { origin }: IncomingHttpHeaders,
): Readonly<Record<string, string>> {
  if (pages !== 'loopback') return {};
  if (origin === undefined || !isLoopbackOrigin(origin)) return { vary: 'Origin' };
  return { vary: 'Origin', 'access-control-allow-origin': origin };
}

const PREFLIGHT: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-max-age': '600',
};
