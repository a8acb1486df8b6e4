import type { Check } from '@millrace/api';
import type { Log, Store } from '@millrace/engine';
import { type AppParts, type Handlers, ok } from '../handler.ts';

/** A store that takes longer than this to tell the time serves nobody. */
const STORE_LIMIT_MS = 2_000;

export function healthHandlers({ store, isStopping }: AppParts): Handlers<'healthz' | 'readyz'> {
  return {
    healthz: () => Promise.resolve(ok({ status: 'ok' })),
    async readyz({ log }) {
      const check = await checkStore(store, log);
      const stopping = isStopping?.() === true;
      const status = stopping ? 'stopping' : check.ok ? 'ready' : 'unavailable';
      return { status: status === 'ready' ? 200 : 503, body: { status, checks: [check] } };
    },
  };
}

async function checkStore(store: Store, log: Log): Promise<Check> {
  const began = performance.now();
  const error = await answers(store);
  const latencyMs = Math.round(performance.now() - began);
  if (error === null) return { name: 'store', ok: true, latencyMs };
  // Anyone may ask for readiness: where the store is and why it fails stays in the log.
  log.warn({ err: error, latencyMs }, 'the store is not ready');
  return { name: 'store', ok: false, latencyMs, detail: 'The store does not answer.' };
}

async function answers(store: Store): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<unknown>((resolve) => {
    timer = setTimeout(
      () => resolve(new Error(`no answer within ${STORE_LIMIT_MS} ms`)),
      STORE_LIMIT_MS,
    );
  });
  const asked = store.now().then(
    () => null,
    (error: unknown) => error ?? new Error('failed'),
  );
  const answer = await Promise.race([asked, late]);
  clearTimeout(timer);
  return answer;
}
