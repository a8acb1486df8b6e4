import { Agent, type Dispatcher } from 'undici';
import { MarketingCloudError } from '../errors.ts';
import type { Deadline } from './deadline.ts';
import { retryAfterMs } from './retry.ts';

/**
 * One HTTP request and its whole answer: no redirects, no repeats. Of a request that failed it says whether it had left at
 * all: one that never left may be sent again whatever it is. Why it is not that of Salesforce: docs/decisions/0022.
 */
export interface Wire {
  send(request: WireRequest, deadline: Deadline): Promise<Answer>;
  /** Waits for the requests under way. */
  close(): Promise<void>;
}

export interface WireRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** How long it asks us to wait. */
  readonly retryAfterMs: number | null;
}

/** An idle connection is dropped before Marketing Cloud does so, which would cost a write its answer. */
const KEEP_ALIVE_MS = 20_000;
const CONNECT_MS = 10_000;
/** A page of 2,500 rows with long texts takes some tens of megabytes. */
const LARGEST_ANSWER = 64 * 1024 * 1024;

export function createWire(params: {
  readonly connections: number;
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly largestAnswer?: number;
}): Wire {
  const most = params.largestAnswer ?? LARGEST_ANSWER;
  const agent = new Agent({
    connections: params.connections,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: Math.min(CONNECT_MS, params.timeoutMs) },
    // The deadline is ours, from the start to the last byte: undici's own begin again with each chunk.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  function send(request: WireRequest, deadline: Deadline): Promise<Answer> {
    return new Promise((resolve, reject) => {
      let sending: Dispatcher.DispatchController | null = null;
      let head: Pick<Answer, 'status' | 'headers'> | null = null;
      const chunks: Buffer[] = [];
      let size = 0;

      function fail(error: unknown): void {
        deadline.signal.removeEventListener('abort', onEnd);
        reject(failure(error, { started: sending !== null, deadline }));
        sending?.abort(new Error('The request is over.'));
      }
      const onEnd = (): void => fail(deadline.ended());
      if (deadline.signal.aborted) return fail(deadline.ended());
      deadline.signal.addEventListener('abort', onEnd, { once: true });

      const { method, url, headers, body } = request;
      agent.dispatch(
        { origin: url.origin, path: `${url.pathname}${url.search}`, method, headers, body },
        {
          // undici has a connection and is about to write. A deadline that ended before is heard of here only.
          onRequestStart(controller) {
            if (deadline.signal.aborted) controller.abort(new Error('The request is over.'));
            else sending = controller;
          },
          onResponseStart(_controller, status, answered) {
            if (status >= 200) head = { status, headers: plainHeaders(answered) };
          },
          onResponseData(_controller, chunk) {
            size += chunk.length;
            if (size > most) fail(tooLarge(most));
            else chunks.push(chunk);
          },
          onResponseEnd() {
            deadline.signal.removeEventListener('abort', onEnd);
            if (head === null) return fail(null);
            // A TextDecoder drops the byte order mark that .NET puts before some answers.
            const text = new TextDecoder().decode(Buffer.concat(chunks));
            const after = retryAfterMs(head.headers['retry-after'], params.now());
            resolve({ ...head, text, retryAfterMs: after });
          },
          onResponseError: (_controller, error) => fail(error),
        },
      );
    });
  }

  return { send, close: () => agent.close() };
}

export function closedError(): MarketingCloudError {
  return new MarketingCloudError('The connection to Marketing Cloud is closed.', {
    code: 'closed',
    kind: 'unavailable',
    outcome: 'notSent',
  });
}

/** The error of a request whose answer did not come, or not whole. */
export function failure(
  error: unknown,
  { started, deadline }: { readonly started: boolean; readonly deadline: Deadline },
): MarketingCloudError {
  if (error instanceof MarketingCloudError) return error;
  const outcome = started ? 'unknown' : 'notSent';
  const ended = deadline.ended();
  if (ended !== null) {
    const words = {
      timeout: 'Marketing Cloud took too long to answer.',
      canceled: 'The caller called the request off.',
    };
    return new MarketingCloudError(words[ended], {
      code: ended,
      kind: 'unavailable',
      outcome,
      retryable: ended === 'timeout',
    });
  }
  const code = causeOf(error);
  if (code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED') return closedError();
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code)) {
    return new MarketingCloudError(`Marketing Cloud's certificate was not accepted (${code}).`, {
      code: 'tls_failed',
      kind: 'unavailable',
      outcome,
      retryable: false,
    });
  }
  const words = started
    ? 'The connection to Marketing Cloud broke before the answer was whole'
    : 'Marketing Cloud could not be reached';
  return new MarketingCloudError(`${words} (${code}).`, {
    code: 'unreachable',
    kind: 'unavailable',
    outcome,
  });
}

function tooLarge(most: number): MarketingCloudError {
  return new MarketingCloudError(
    `The answer is larger than ${most} bytes. Ask for smaller pages.`,
    { code: 'answer_too_large', kind: 'data', outcome: 'unknown' },
  );
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
