import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer } from './answer.ts';
import { isOwnHost } from './guard.ts';
import { inUrl } from './loopback.ts';
import type { Place } from './options.ts';

export interface SiteOptions {
  readonly place: Place;
  /** Slow senders are cut off after this long. */
  readonly requestMs: number;
  /** Bytes. Who sends more is cut off. */
  readonly longestBody: number;
  /** Bytes of the first line and the headers. Node's 16 KB when left out. */
  readonly longestHead?: number;
  /** For who calls this site by another name. */
  readonly misdirected: Answer;
  /** For who meets a mistake of ours. What it was goes to the log of the process. */
  readonly mistake: Answer;
}

/** Null: the connection is cut. */
export type Serve = (request: IncomingMessage, body: Buffer) => Promise<Answer | null>;

/** An HTTP server whose answers are values. */
export interface Site {
  readonly origin: string;
  /** Requests that came before this was called have waited for it. */
  serve(handler: Serve): void;
  close(): Promise<void>;
}

export async function openSite(options: SiteOptions): Promise<Site> {
  const { place, requestMs, longestBody, longestHead } = options;
  const server = createServer({
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    ...(longestHead !== undefined && { maxHeaderSize: longestHead }),
  });
  let begin: (handler: Serve) => void = () => {};
  const begun = new Promise<Serve>((resolve) => (begin = resolve));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await readBody(request, longestBody);
      if (body === null) return void response.destroy();
      const handler = await begun;
      const answered = isOwnHost(place, request.headers.host)
        ? await handler(request, body)
        : options.misdirected;
      if (answered === null) response.destroy();
      else send(response, answered);
    } catch (thrown) {
      process.emitWarning(thrown instanceof Error ? thrown : String(thrown));
      if (response.headersSent) response.destroy();
      else send(response, options.mistake);
    }
  }

  server.on('request', (request, response) => void answer(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(place.port, place.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: new URL(`http://${inUrl(place.host)}:${port}`).origin, // as browsers spell it
    serve: (handler) => begin(handler),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Null: the sender left in the middle, or would not come to an end. */
async function readBody(request: IncomingMessage, longest: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > longest) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}

/** Node leaves the body out where the method was HEAD. */
function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(body.length > 0 && { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  });
  response.end(body);
}
