import type { AdmittedHandler } from '../http/handler.ts';
import type { Follow } from './streams/followers.ts';

const HEADERS = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

/** Sends a handler's events as a stream; other responses pass unchanged. */
export function followed(handler: AdmittedHandler, follow: Follow): AdmittedHandler {
  return async (call) => {
    const { events, ...answer } = await handler(call);
    if (events === undefined) return answer;
    const { caller, signal } = call;
    const reader = {
      caller: caller?.subject ?? '',
      expiresAt: caller?.expiresAt ?? null,
      signal,
    };
    return { ...answer, headers: { ...answer.headers, ...HEADERS }, bytes: follow(events, reader) };
  };
}
