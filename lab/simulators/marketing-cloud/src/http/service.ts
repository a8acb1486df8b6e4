import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, gatewayPage, isInside } from '@millrace/simulator-kit';
import { badClient, tokenEndpoint } from '../auth/endpoint.ts';
import { TOKEN_OPERATION } from '../calls.ts';
import type { Cloud } from '../cloud.ts';
import type { FaultKind, Strikes } from '../faults.ts';
import { notFound } from '../rest/answers.ts';
import { createRest } from '../rest/rest.ts';
import { routeOf } from '../rest/routes.ts';
import { fault, readCall } from '../soap/envelope.ts';
import { createSoap } from '../soap/soap.ts';

/** Null: the connection is cut. */
export type Service = (request: IncomingMessage, body: Buffer) => Promise<Answer | null>;

/** A request as it was read, before any of it is done. */
interface Exchange {
  readonly operation: string;
  readonly mid: string;
  work(strikes: Strikes): Answer | Promise<Answer>;
}

/** The way of a request: what is asked for, what does the wire do to it, what is the answer, does it arrive. */
export function createService(
  cloud: Cloud,
  inside: (request: IncomingMessage, body: Buffer) => Answer,
): Service {
  const soap = createSoap(cloud);
  const rest = createRest(cloud);
  const midOf = (token: string): string => cloud.tokens.find(token)?.mid ?? '';

  function read(request: IncomingMessage, body: Buffer): Exchange {
    const method = request.method ?? '';
    const [path = '', query = ''] = (request.url ?? '').split('?');
    // sfmc-sdk insists on an auth_url with a real host name in it; on loopback that is part of the path.
    if (method === 'POST' && path.endsWith('/v2/token')) return forToken(body);
    if (method === 'POST' && /^\/service\.asmx$/i.test(path)) return forSoap(body);
    const route = routeOf(method, path);
    if (route === null) return { operation: 'unknown', mid: '', work: notFound };
    const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const mid = midOf(token);
    const search = new URLSearchParams(query);
    return {
      operation: route.operation,
      mid,
      work: (strikes) => rest({ route, token, mid, search, body, strikes }),
    };
  }

  function forToken(body: Buffer): Exchange {
    const operation = TOKEN_OPERATION;
    return {
      operation,
      mid: '',
      work: (strikes) =>
        strikes.strikes('bad-client', { operation }) === null
          ? tokenEndpoint(cloud, body)
          : badClient(),
    };
  }

  function forSoap(body: Buffer): Exchange {
    const call = readCall(body);
    if (call === null) {
      const work = (): Answer =>
        fault('soap:Client', 'The request is not a message that is served.');
      return { operation: 'soap:unknown', mid: '', work };
    }
    const operation = `soap:${call.action} ${call.objectType}`;
    const mid = midOf(call.token);
    return { operation, mid, work: (strikes) => soap({ call, operation, mid, strikes }) };
  }

  /** Null: the connection is cut, be it before anything happened or after the work was done. */
  async function struck(
    { operation, mid, work }: Exchange,
    strikes: Strikes,
  ): Promise<Answer | null> {
    const strike = (kind: FaultKind) => strikes.strikes(kind, { operation, mid });
    const latency = cloud.settings.latencyMs + (strike('latency')?.ms ?? 0);
    if (latency > 0) await sleep(latency);
    if (strike('cut-before') !== null) return null;
    const gateway = strike('gateway');
    if (gateway !== null) return gatewayPage(gateway.status ?? 503);
    const answer = await work(strikes);
    const late = strike('gateway-after');
    if (late !== null) return gatewayPage(late.status ?? 503);
    return strike('cut-after') === null ? answer : null;
  }

  return async (request, body) => {
    if (isInside(request)) return inside(request, body);
    const exchange = read(request, body);
    const path = (request.url ?? '').split('?')[0] ?? '';
    const answer = await struck(exchange, cloud.faults.meet(request.method ?? '', path));
    const { operation, mid } = exchange;
    cloud.counter.count({ at: cloud.clock.now(), operation, mid, status: answer?.status ?? null });
    return answer;
  };
}
