import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, gatewayPage, isInside } from '@millrace/simulator-kit';
import { ApiError } from '../errors.ts';
import type { Org } from '../org.ts';
import { packed, refusal } from './answer.ts';
import { type Api, type Exchange } from './api.ts';
import { checkHead, unpacked } from './incoming.ts';
import type { Journal } from './journal.ts';

/** Null: the connection is cut. */
export type Service = (request: IncomingMessage, body: Buffer) => Promise<Answer | null>;

interface Parts {
  readonly org: Org;
  readonly journal: Journal;
  readonly api: Api;
  /** The pages and the controls below `/_sim/`. Faults do not touch them. */
  readonly inside: (request: IncomingMessage, body: Buffer) => Answer;
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
    const shown = {
      date: new Date(at).toUTCString(),
      'sforce-limit-info': `api-usage=${used}/${max}`,
    };
    return { ...answer, headers: { ...shown, ...answer.headers } };
  }

  return async (request, sent) => {
    const body = unpacked(sent, request.headers['content-encoding']);
    if (body === null) return null;
    if (isInside(request)) return inside(request, body);
    const answer = await answerTo(request, body);
    return answer === null ? null : packed(answer, request.headers['accept-encoding']);
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
