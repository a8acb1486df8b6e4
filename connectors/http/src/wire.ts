import { Readable } from 'node:stream';
import type { LookupFunction } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import type { Deadline } from './deadline.ts';
import type { Peer } from './errors.ts';

/**
 * One HTTP request, no more: no redirects, no repeats. A request that failed says whether it had left, since one that never
 * left may be sent again whatever it is. The end of an exchange clears its deadline.
 */
export interface Wire {
  send(request: WireRequest, deadline: Deadline): Promise<Answer>;
  /** Waits for the requests under way. */
  close(): Promise<void>;
}

export interface WireRequest {
  readonly origin: string;
  readonly method: Dispatcher.HttpMethod;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | readonly Uint8Array[] | AsyncIterable<Uint8Array> | null;
}

export interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ends with the connector's own error where the line breaks. Whoever stops reading ends the request. */
  readonly body: Readable;
  /** The whole body; an error once it grows past `most`. */
  bytes(most: number): Promise<Buffer>;
  text(most: number): Promise<string>;
}

/** An idle connection is dropped before the other side does so, which would cost a write its answer. */
const KEEP_ALIVE_MS = 15_000;
const CONNECT_MS = 10_000;
/** Each slice that the line takes is a sign of life: at 64 kB/s one takes 4 s. */
const SLICE_BYTES = 256 * 1024;
const READ_AHEAD_BYTES = 64 * 1024;

export function createWire(params: {
  readonly peer: Peer;
  readonly connections: number;
  readonly timeoutMs: number;
  /** Where the connection gets its addresses from. */
  readonly lookup?: LookupFunction;
}): Wire {
  const { peer, lookup } = params;
  const agent = new Agent({
    connections: params.connections,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: {
      timeout: Math.min(CONNECT_MS, params.timeoutMs),
      ...(lookup !== undefined && { lookup }),
    },
    // The deadline is ours: undici's own begin again with each chunk, and count a slow upload as a slow answer.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  function send({ body = null, ...request }: WireRequest, deadline: Deadline): Promise<Answer> {
    const { signal } = deadline;
    return new Promise((resolve, reject) => {
      let sending: Dispatcher.DispatchController | null = null;
      let reading: Readable | null = null;

      function fail(error: unknown): void {
        const failed = peer.broken(error, {
          started: sending !== null,
          ended: deadline.ended(),
        });
        if (reading !== null) return void reading.destroy(failed);
        reject(failed);
        over();
      }

      function over(): void {
        signal.removeEventListener('abort', onEnd);
        sending?.abort(new Error('The request is over.'));
        deadline.clear();
      }

      const onEnd = (): void => fail(null);
      if (signal.aborted) return fail(null);
      signal.addEventListener('abort', onEnd, { once: true });
      agent.dispatch(
        { ...request, body: outgoing(body, deadline) },
        {
          // undici has a connection and is about to write. It does not hear before of a deadline that ended.
          onRequestStart(controller) {
            if (signal.aborted) controller.abort(new Error('The request is over.'));
            else sending = controller;
          },
          onResponseStart(controller, status, headers) {
            if (status < 200) return;
            deadline.rearm();
            reading = readableOf(controller, deadline, over);
            resolve(answerOf({ status, headers: plainHeaders(headers), body: reading }, peer));
          },
          onResponseData(controller, chunk) {
            // undici begins again with an empty one after a pause: nothing has moved.
            if (chunk.length === 0) return;
            deadline.pause();
            if (reading?.push(chunk) === false) controller.pause();
          },
          onResponseEnd() {
            // What has come whole is read to its end, whatever happens to the deadline.
            signal.removeEventListener('abort', onEnd);
            sending = null;
            reading?.push(null);
          },
          onResponseError: (_controller, error) => fail(error),
        },
      );
    });
  }

  let closing: Promise<void> | null = null;
  return { send, close: () => (closing ??= agent.close()) };
}

/** With a deadline that counts only what we wait for, nothing is read ahead: time would run that is the reader's. */
function readableOf(
  controller: Dispatcher.DispatchController,
  deadline: Deadline,
  over: () => void,
): Readable {
  const body = new Readable({
    highWaterMark: deadline.idle ? 0 : READ_AHEAD_BYTES,
    read() {
      deadline.rearm();
      controller.resume();
    },
    destroy(error, done) {
      over();
      done(error);
    },
  });
  // It may fail before its reader has begun to listen; then the first read reports it.
  return body.on('error', () => {});
}

function answerOf(head: Pick<Answer, 'status' | 'headers' | 'body'>, peer: Peer): Answer {
  async function bytes(most: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    // Leaving the loop destroys the body, and so the connection.
    for await (const chunk of head.body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > most) throw peer.tooLarge(most);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }
  // A TextDecoder drops the byte order mark that .NET puts before some answers.
  return { ...head, bytes, text: async (most) => new TextDecoder().decode(await bytes(most)) };
}

/** undici takes async iterables too; its types do not say so. */
function outgoing(body: WireRequest['body'], deadline: Deadline): Uint8Array | null {
  if (body === null || body === undefined) return null;
  if (body instanceof Uint8Array) return deadline.idle ? (sliced([body], deadline) as never) : body;
  return Array.isArray(body) && body.length === 0
    ? null
    : (sliced(body as never, deadline) as never);
}

async function* sliced(
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  deadline: Deadline,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of body) {
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      deadline.rearm();
      yield bytes.subarray(at, at + SLICE_BYTES);
    }
  }
  deadline.rearm();
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

/** Texts come from outside; a line end in one must not become a header. */
export function headerText(text: string, longest: number): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '_').slice(0, longest);
}
