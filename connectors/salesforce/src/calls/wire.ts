import type { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import type { Deadline } from './deadline.ts';
import { SalesforceError } from '../errors.ts';
import type { Method } from '../types.ts';

/**
 * One HTTP request, no more: no redirects, no repeats. What it adds to undici is whether a request that failed had
 * left at all, since one that never left may be sent again whatever it is.
 */
export interface Wire {
  send(params: SendParams): Promise<Answer>;
  /** Waits for the requests under way. */
  close(): Promise<void>;
}

export interface SendParams {
  readonly origin: string;
  readonly method: Method;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | AsyncIterable<Uint8Array> | null;
  readonly deadline: Deadline;
}

export interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

interface Sending {
  started: boolean;
}

/** An idle connection is dropped before Salesforce does so, which would cost a write its answer. */
const KEEP_ALIVE_MS = 20_000;
const CONNECT_MS = 10_000;

export function createWire(params: { connections: number; timeoutMs: number }): Wire {
  const agent = new Agent({
    connections: params.connections,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: Math.min(CONNECT_MS, params.timeoutMs) },
    // The deadline is ours: undici's own would count a slow upload as a slow answer.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const dispatcher = agent.compose((dispatch) => (options, handler) => {
    const { opaque } = options as { opaque?: Sending };
    return dispatch(options, noticeStart(handler, opaque));
  });

  async function send({ deadline, ...request }: SendParams): Promise<Answer> {
    const sending: Sending = { started: false };
    try {
      const response = await endedBy(
        deadline.signal,
        dispatcher.request({
          origin: request.origin,
          method: request.method,
          path: request.path,
          headers: request.headers,
          // undici takes async iterables too; its types do not say so.
          body: (request.body ?? null) as Uint8Array | null,
          signal: deadline.signal,
          opaque: sending,
        }),
      );
      return {
        status: response.statusCode,
        headers: plainHeaders(response.headers),
        body: response.body,
      };
    } catch (error) {
      throw failure(error, sending.started, deadline);
    }
  }

  return { send, close: () => agent.close() };
}

/** The error of a request whose answer did not come, or not whole. */
export function failure(error: unknown, started: boolean, deadline: Deadline): SalesforceError {
  if (error instanceof SalesforceError) return error;
  const outcome = started ? 'unknown' : 'notSent';
  const ended = deadline.ended();
  if (ended === 'canceled') {
    return new SalesforceError('The caller called the request off.', {
      code: 'canceled',
      kind: 'unavailable',
      outcome,
      retryable: false,
    });
  }
  if (ended === 'timeout') {
    return new SalesforceError('Salesforce took too long to answer.', {
      code: 'timeout',
      kind: 'unavailable',
      outcome,
    });
  }
  const code = causeCode(error);
  if (code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED') return closedError();
  const isTls = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code);
  return new SalesforceError(
    isTls
      ? `Salesforce's certificate was not accepted (${code}).`
      : `${started ? 'The connection to Salesforce broke' : 'Salesforce could not be reached'} (${code}).`,
    { code: isTls ? 'tls_failed' : 'unreachable', kind: 'unavailable', outcome, retryable: !isTls },
  );
}

export function closedError(): SalesforceError {
  return new SalesforceError('The connection to Salesforce is closed.', {
    code: 'closed',
    kind: 'unavailable',
    outcome: 'notSent',
  });
}

/** undici takes note of a signal only when it is connected, which may take seconds. */
function endedBy<T extends Dispatcher.ResponseData<unknown>>(
  signal: AbortSignal,
  response: Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new Error('ended'));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    response
      .then((data) => {
        if (signal.aborted) data.body.destroy();
        return resolve(data);
      }, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** undici tells a handler of the start when it has a connection and is about to write. */
function noticeStart(
  handler: Dispatcher.DispatchHandler,
  sending: Sending | undefined,
): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller, context) {
      if (sending !== undefined) sending.started = true;
      handler.onRequestStart?.(controller, context);
    },
    onResponseStart: (...args) => handler.onResponseStart?.(...args),
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (...args) => handler.onResponseError?.(...args),
  };
}

function plainHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}

function causeCode(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const found = code ?? cause?.code;
  return typeof found === 'string' ? found : 'no code';
}
