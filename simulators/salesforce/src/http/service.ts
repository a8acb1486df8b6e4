import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../errors.ts';
import type { Org } from '../org.ts';
import { type Answer, gatewayPage, json, refusal, send } from './answer.ts';
import { type Api, type Exchange } from './api.ts';
import { isOwnHost } from './guard.ts';
import { checkHead, readBody } from './incoming.ts';
import type { Journal } from './journal.ts';

export interface Service {
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

interface Parts {
  readonly org: Org;
  readonly journal: Journal;
  readonly api: Api;
  /** The pages and the controls below `/_sim/`. Faults do not touch them. */
  readonly inside: (request: IncomingMessage, body: Buffer) => Promise<Answer>;
}

/** The way of a request: is it for us, what does the wire do to it, what is the answer, does it arrive. */
export function createService({ org, journal, api, inside }: Parts): Service {
  /** Null: the connection is cut, be it before anything happened or after the commit. */
  async function struck(exchange: Exchange): Promise<Answer | null> {
    const { strikes } = exchange;
    if (org.settings.latencyMs > 0) await sleep(org.settings.latencyMs);
    const slow = strikes.strikes('latency')?.ms;
    if (slow !== undefined) await sleep(slow);
    if (strikes.strikes('cut-before') !== null) return null;
    const gateway = strikes.strikes('gateway');
    if (gateway !== null) return gatewayPage(gateway.status ?? 502);
    if (strikes.strikes('unavailable') !== null) {
      return refusal(new ApiError('SERVER_UNAVAILABLE', 'The server is temporarily unavailable.'));
    }
    const answer = await answered(api, exchange);
    const late = strikes.strikes('gateway-after');
    if (late !== null) return gatewayPage(late.status ?? 502);
    return strikes.strikes('cut-after') === null ? answer : null;
  }

  async function answerTo(request: IncomingMessage, body: Buffer): Promise<Answer | null> {
    const [method = '', path = ''] = [request.method, request.url];
    const strikes = org.faults.meet(method, path.split('?')[0] ?? '');
    const exchange: Exchange = { request, body, strikes, calls: 0 };
    org.counter.request();
    const answer = await struck(exchange);
    const at = org.clock.now();
    journal.add({ at, method, path, status: answer?.status ?? null, calls: exchange.calls });
    if (answer === null) return null;
    const { used, max } = org.counter.calls;
    const told = {
      date: new Date(at).toUTCString(),
      'sforce-limit-info': `api-usage=${used}/${max}`,
    };
    return { ...answer, headers: { ...told, ...answer.headers } };
  }

  async function work(request: IncomingMessage, body: Buffer): Promise<Answer | null> {
    if (!isOwnHost(org.settings, request.headers.host)) {
      return json(421, [
        { errorCode: 'MISDIRECTED', message: 'This org answers to its own name only.' },
      ]);
    }
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (path === '/_sim' || path.startsWith('/_sim/')) return inside(request, body);
    return answerTo(request, body);
  }

  return {
    async serve(request, response) {
      try {
        const body = await readBody(request);
        const answer = body === null ? null : await work(request, body);
        if (answer === null) response.destroy();
        else {
          const whole = request.method === 'HEAD' ? { ...answer, body: '' } : answer;
          send(response, whole, request.headers['accept-encoding']);
        }
      } catch (thrown) {
        // A mistake of ours: its place is the log of the process, not the answer.
        process.emitWarning(thrown instanceof Error ? thrown : String(thrown));
        const mistake = {
          errorCode: 'UNKNOWN_EXCEPTION',
          message: 'An unexpected error occurred.',
        };
        if (response.headersSent) response.destroy();
        else send(response, json(500, [mistake]), undefined);
      }
    },
  };
}

async function answered(api: Api, exchange: Exchange): Promise<Answer> {
  try {
    checkHead(exchange.request);
    return await api(exchange);
  } catch (thrown) {
    if (thrown instanceof ApiError) return refusal(thrown);
    throw thrown;
  }
}
