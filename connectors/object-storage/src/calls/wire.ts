import type { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { ObjectStorageError } from '../errors.ts';
import type { Deadline } from './deadline.ts';

/** One HTTP request, no more: no redirects, no repeats. */
export interface Wire {
  send(request: WireRequest, deadline: Deadline): Promise<Answer>;
  /** Waits for the requests under way. */
  close(): Promise<void>;
}

export interface WireRequest {
  readonly origin: string;
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array[];
}

export interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

interface Way {
  started: boolean;
}

/** An idle connection is dropped before the storage does so. */
const KEEP_ALIVE_MS = 15_000;
const CONNECT_MS = 10_000;
/** Each slice that the line takes is a sign of life: at 64 kB/s one takes 4 s. */
const SLICE_BYTES = 256 * 1024;

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
    const { opaque } = options as { opaque?: Way };
    return dispatch(options, opaque === undefined ? handler : noticing(handler, opaque));
  });

  async function send(request: WireRequest, deadline: Deadline): Promise<Answer> {
    const { origin, method, path, headers, body } = request;
    const way: Way = { started: false };
    const size = body.reduce((sum, bytes) => sum + bytes.length, 0);
    const withBody = method === 'PUT' || method === 'POST';
    try {
      const response = await endedBy(
        deadline.signal,
        dispatcher.request({
          origin,
          method,
          path,
          headers: withBody ? { ...headers, 'content-length': String(size) } : headers,
          // undici takes async iterables too; its types do not say so.
          body: (size > 0 ? slices(body, deadline) : null) as Readable | null,
          signal: deadline.signal,
          opaque: way,
        }),
      );
      deadline.rearm();
      return {
        status: response.statusCode,
        headers: plainHeaders(response.headers),
        body: response.body,
      };
    } catch (error) {
      throw failure(error, way.started, deadline);
    }
  }

  return { send, close: () => agent.close() };
}

async function* slices(
  body: readonly Uint8Array[],
  deadline: Deadline,
): AsyncGenerator<Uint8Array> {
  for (const bytes of body) {
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      deadline.rearm();
      yield bytes.subarray(at, at + SLICE_BYTES);
    }
  }
  deadline.rearm();
}

/** The error of a request whose answer did not come, or not whole. */
export function failure(error: unknown, started: boolean, deadline: Deadline): ObjectStorageError {
  if (error instanceof ObjectStorageError) return error;
  const outcome = started ? 'unknown' : 'notSent';
  const ended = deadline.ended();
  if (ended !== null) {
    const words = {
      timeout: 'The object storage took too long to answer.',
      canceled: 'The caller called the request off.',
    };
    return new ObjectStorageError(words[ended], {
      code: ended,
      kind: 'unavailable',
      outcome,
      retryable: ended === 'timeout',
    });
  }
  const code = causeOf(error);
  if (code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED') return closedError();
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code))
    return new ObjectStorageError(
      `The certificate of the object storage was not accepted (${code}). Check the endpoint, or give Node its issuer by NODE_EXTRA_CA_CERTS.`,
      { code: 'tls_failed', kind: 'unavailable', outcome, retryable: false },
    );
  const words = started
    ? 'The connection to the object storage broke before the answer was whole'
    : 'The object storage could not be reached';
  return new ObjectStorageError(`${words} (${code}).`, {
    code: 'unreachable',
    kind: 'unavailable',
    outcome,
  });
}

export function closedError(): ObjectStorageError {
  return new ObjectStorageError('The connection to the object storage is closed.', {
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
        if (signal.aborted) data.body.on('error', () => {}).destroy();
        return resolve(data);
      }, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** undici reports the start when it has a connection and is about to write. */
function noticing(handler: Dispatcher.DispatchHandler, way: Way): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller, context) {
      way.started = true;
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

function causeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  const found = code ?? cause?.code;
  return typeof found === 'string' ? found : 'no code';
}
