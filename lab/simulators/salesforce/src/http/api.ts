import type { IncomingMessage } from 'node:http';
import type { Answer, Clock } from '@millrace/simulator-kit';
import type { ApexEndpoints } from '../apex/endpoints.ts';
import type { Cometd } from '../cometd/cometd.ts';
import { ApiError, notFound } from '../errors.ts';
import type { Strikes } from '../faults.ts';
import { OAuthError } from '../oauth/assertion.ts';
import type { Sessions } from '../oauth/sessions.ts';
import { identityOf, tokenEndpoint } from '../oauth/token.ts';
import type { Caller, Org } from '../org.ts';
import { batch, readBatch } from '../rest/batch.ts';
import { composite } from '../rest/composite.ts';
import { graph } from '../rest/graph.ts';
import {
  type LeafHandler,
  methodNotAllowed,
  parseAddress,
  type Reply,
  type RestRequest,
} from '../rest/request.ts';
import { isVersion, versions } from '../rest/resources.ts';
import { json, replied } from './answer.ts';
import { parseBody } from './incoming.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly strikes: Strikes;
  /** API calls that it counted for. */
  calls: number;
}

export type Api = (exchange: Exchange) => Promise<Answer>;

interface Parts {
  readonly org: Org;
  readonly sessions: Sessions;
  readonly leaf: LeafHandler;
  readonly apex: ApexEndpoints;
  readonly cometd: Cometd;
}

const APEX = '/services/apexrest/';

/** Everything that Salesforce itself has: tokens, the REST API, Apex REST, the Streaming API. */
export function createApi({ org, sessions, leaf, apex, cometd }: Parts): Api {
  const token = tokenEndpoint(org, sessions);
  const crowd: Crowd = createCrowd(org.clock);

  function login({ request, body }: Exchange): Answer {
    if (request.method !== 'POST') throw methodNotAllowed(request.method ?? '', ['POST']);
    const form = new URLSearchParams(body.toString('utf8'));
    try {
      return json(200, token(form, request.headers.authorization));
    } catch (thrown) {
      if (!(thrown instanceof OAuthError)) throw thrown;
      return json(400, { error: thrown.error, error_description: thrown.message });
    }
  }

  /** Null: it is no good, or not any more. */
  function sessionOf({ request, strikes }: Exchange): { token: string; userId: string } | null {
    const sent = /^(?:Bearer|OAuth) (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (strikes.strikes('session-expired') !== null) sessions.end(sent);
    const userId = sessions.use(sent);
    return userId === null ? null : { token: sent, userId };
  }

  function callerOf(exchange: Exchange): Caller {
    const session = sessionOf(exchange);
    if (session !== null) return { userId: session.userId, strikes: exchange.strikes };
    throw new ApiError('INVALID_SESSION_ID', 'Session expired or invalid');
  }

  /** Long polls are no calls, and none of those 25 that may last long. */
  function streaming(exchange: Exchange, path: string): Promise<Answer> {
    const { request, body } = exchange;
    return cometd.answer({
      method: request.method ?? 'GET',
      path,
      body,
      cookies: request.headers.cookie ?? '',
      token: sessionOf(exchange)?.token ?? null,
      socket: request.socket,
    });
  }

  /** Refuses when the day's calls are used up, else counts. */
  function count(exchange: Exchange, resource: string, calls = 1): void {
    if (org.counter.isExhausted || exchange.strikes.strikes('limit') !== null) {
      throw new ApiError('REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.');
    }
    exchange.calls = calls;
    org.counter.count(resource, calls);
  }

  async function rest(exchange: Exchange, caller: Caller, request: RestRequest): Promise<Reply> {
    const [first = 'resources', second] = request.segments;
    const bundle = { org, caller, request, leaf };
    const name = first === 'composite' && second !== undefined ? second : first;
    if (
      first !== 'composite' ||
      (second !== undefined && second !== 'graph' && second !== 'batch')
    ) {
      count(exchange, name);
      if (first === 'query') checkSlow(exchange);
      return org.transact(caller, (work) => leaf({ org, caller, work, request }));
    }
    if (request.method !== 'POST') throw methodNotAllowed(request.method, ['POST']);
    count(exchange, name, second === 'batch' ? readBatch(request).length : 1);
    if (second === 'graph') return graph(bundle);
    return second === 'batch' ? batch(bundle) : composite(bundle);
  }

  async function call(exchange: Exchange, path: string): Promise<Answer> {
    const { request, body } = exchange;
    const caller = callerOf(exchange);
    if (path === '/services/oauth2/userinfo' || path.startsWith('/id/')) {
      return json(200, identityOf(org, caller.userId));
    }
    const method = request.method ?? 'GET';
    const read = (): unknown => parseBody(request.headers['content-type'], body);
    if (path.startsWith(APEX)) {
      count(exchange, 'apexrest');
      checkSlow(exchange);
      if (exchange.strikes.strikes('apex-error') !== null) throw apexError();
      return replied(await apex(caller, { method, path: path.slice(APEX.length), body }));
    }
    const address = parseAddress(request.url ?? '');
    if (address === null || !isVersion(address.version)) throw notFound();
    const headers = request.headers as Readonly<Record<string, string | undefined>>;
    return replied(
      await rest(exchange, caller, {
        ...address,
        method,
        headers,
        body: once(read),
        isNested: false,
      }),
    );
  }

  return async (exchange) => {
    const path = (exchange.request.url ?? '').split('?')[0]?.replace(/(?<=.)\/$/, '') ?? '';
    if (path === '/services/oauth2/token') return login(exchange);
    if (path === '/services/data') return json(200, versions());
    if (/^\/cometd(\/|$)/.test(path)) return streaming(exchange, path);
    if (!/^\/(services|id)\//.test(path)) throw notFound();
    return crowd.enter(exchange.strikes, () => call(exchange, path));
  };
}

/** After 120 s a query is given up ("SOQL and SOSL Limits"); Apex gets it as an exception, and the package says the same. */
function checkSlow({ strikes }: Exchange): void {
  if (strikes.strikes('query-timeout') === null) return;
  throw new ApiError('QUERY_TIMEOUT', 'Your query request was running for too long.');
}

/** As Apex REST answers what no class can catch ("Apex REST Code Samples", "Execution Governors and Limits"). */
function apexError(): ApiError {
  const message =
    'System.LimitException: Apex CPU time limit exceeded\n\nClass.DocgenQueue.complete: line 1, column 1';
  return new ApiError('APEX_ERROR', message, { status: 500 });
}

function once(read: () => unknown): () => unknown {
  let result: { readonly value: unknown } | undefined;
  return () => {
    result ??= { value: read() };
    return result.value;
  };
}

const MOST_LONG = 25;
const LONG_MS = 20_000;

/**
 * No more than 25 requests may last longer than 20 seconds at the same time ("API Request Limits and Allocations" of the
 * platform's limits).
 */
interface Crowd {
  enter<T>(strikes: Strikes, run: () => Promise<T>): Promise<T>;
}

function createCrowd(clock: Clock): Crowd {
  const since = new Set<{ readonly at: number }>();
  return {
    async enter(strikes, run) {
      const now = clock.now();
      const long = [...since].filter(({ at }) => now - at > LONG_MS);
      if (long.length >= MOST_LONG || strikes.strikes('crowded') !== null) {
        throw new ApiError(
          'REQUEST_LIMIT_EXCEEDED',
          'ConcurrentRequests (Concurrent API Requests) Limit exceeded.',
        );
      }
      const entry = { at: now };
      since.add(entry);
      try {
        return await run();
      } finally {
        since.delete(entry);
      }
    },
  };
}
