import { once } from 'node:events';
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as httpRequest,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { Readable } from 'node:stream';
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
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
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
const EARLIER_MS = 1_000;
const CONNECT_MS = 10_000;
const SLICE_BYTES = 256 * 1024;
const READ_AHEAD_BYTES = 64 * 1024;

/**
 * Node's own client: undici's parser ends the process where the line of an answer that comes with `connection: close` breaks or
 * ends while its reader is behind (7.30: `assert(!this.paused)`).
 */
export function createWire(params: {
  readonly peer: Peer;
  readonly connections: number;
  readonly timeoutMs: number;
  /** Where the connection gets its addresses from. */
  readonly lookup?: LookupFunction;
}): Wire {
  const { peer } = params;
  const connectMs = Math.min(CONNECT_MS, params.timeoutMs);
  const options = {
    keepAlive: true,
    maxSockets: params.connections,
    timeout: KEEP_ALIVE_MS,
    ...(params.lookup !== undefined && { lookup: params.lookup }),
  };
  const agents = {
    http: closingEarlier(new HttpAgent(options)),
    https: closingEarlier(new HttpsAgent(options)),
  };
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;

  function send({ body = null, ...asked }: WireRequest, deadline: Deadline): Promise<Answer> {
    const { signal } = deadline;
    return new Promise((resolve, reject) => {
      let started = false;
      let reading: Readable | null = null;

      function fail(error: unknown): void {
        const failed = peer.broken(error, { started, ended: deadline.ended() });
        if (reading !== null) return void reading.destroy(failed);
        reject(failed);
        over();
      }

      /** The connection goes back to the others where request and answer are whole. */
      function over(isWhole = false): void {
        signal.removeEventListener('abort', onEnd);
        if (!isWhole || request?.writableFinished !== true) request?.destroy();
        deadline.clear();
      }

      const onEnd = (): void => fail(null);
      let request: ClientRequest | null = null;
      if (isClosed) return reject(peer.closed());
      if (signal.aborted) return fail(null);
      signal.addEventListener('abort', onEnd, { once: true });
      // After what has come in by now: a connection that the other side has closed meanwhile is not taken.
      setImmediate(() => {
        if (signal.aborted) return;
        if (isClosed) return fail(peer.closed());
        try {
          begin();
        } catch (error) {
          fail(error);
        }
      });

      function begin(): void {
        const url = new URL(asked.origin);
        const isTls = url.protocol === 'https:';
        const opened = isTls
          ? httpsRequest(url, { ...asked, agent: agents.https })
          : httpRequest(url, { ...asked, agent: agents.http });
        request = opened;
        const gone = once(opened, 'close').catch(() => {});
        underWay.add(gone);
        void gone.finally(() => underWay.delete(gone));
        opened.on('error', (error) => {
          // An answer that has begun says itself whether it is whole.
          if (reading === null) fail(error);
        });
        opened.once('socket', (socket) => {
          const onStart = (): void => {
            clearTimeout(connecting);
            started = true;
          };
          const late = Object.assign(new Error('No connection.'), { code: 'ETIMEDOUT' });
          const connecting = socket.connecting
            ? setTimeout(() => opened.destroy(late), connectMs)
            : undefined;
          if (!socket.connecting) return onStart();
          socket.once(isTls ? 'secureConnect' : 'connect', onStart);
          socket.once('close', () => clearTimeout(connecting));
        });
        opened.once('response', (response) => {
          deadline.rearm();
          reading = readableOf(response, deadline, over);
          response.on('error', fail);
          const { statusCode: status = 0, headers } = response;
          resolve(answerOf({ status, headers: plainHeaders(headers), body: reading }, peer));
        });
        write(opened, body, deadline).catch(fail);
      }
    });
  }

  return {
    send,
    async close() {
      isClosed = true;
      await Promise.all(underWay);
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** A second before the other side says, by `Keep-Alive`, that it will. */
function closingEarlier<A extends HttpAgent>(agent: A): A {
  const keep = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket: Socket) => {
    const kept = keep(socket);
    socket.setTimeout(Math.max(1, (socket.timeout ?? KEEP_ALIVE_MS) - EARLIER_MS));
    return kept;
  };
  return agent;
}

/** Of a body that fails the request ends with the body's own error. */
async function write(
  request: ClientRequest,
  body: WireRequest['body'],
  deadline: Deadline,
): Promise<void> {
  if (body === null || body === undefined) return void request.end();
  if (body instanceof Uint8Array && !deadline.idle) return void request.end(body);
  for await (const slice of sliced(body instanceof Uint8Array ? [body] : body)) {
    deadline.rearm();
    if (request.destroyed) return;
    if (!request.write(slice)) await drained(request);
  }
  deadline.rearm();
  request.end();
}

function drained(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      request.off('drain', done).off('close', done);
      resolve();
    };
    request.on('drain', done).on('close', done);
  });
}

/** With a deadline that counts only what we wait for, nothing is read ahead: time would run that is the reader's. */
function readableOf(
  response: IncomingMessage,
  deadline: Deadline,
  over: (isWhole: boolean) => void,
): Readable {
  const body = new Readable({
    highWaterMark: deadline.idle ? 0 : READ_AHEAD_BYTES,
    read() {
      deadline.rearm();
      response.resume();
    },
    destroy(error, done) {
      over(response.readableEnded && error === null);
      done(error);
    },
  });
  response.on('data', (chunk: Buffer) => {
    deadline.pause();
    if (!body.push(chunk)) response.pause();
  });
  response.on('end', () => body.push(null));
  response.pause();
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

/** Each slice that the line takes is a sign of life: at 64 kB/s one takes 4 s. */
async function* sliced(
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of body) {
    for (let at = 0; at < bytes.length; at += SLICE_BYTES)
      yield bytes.subarray(at, at + SLICE_BYTES);
  }
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
