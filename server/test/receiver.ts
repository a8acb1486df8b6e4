import { type IncomingHttpHeaders, type RequestListener, createServer } from 'node:http';
import { type ServerOptions, createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly port: number;
  readonly received: Received[];
  close(): Promise<void>;
}

/** A real HTTP server on loopback that keeps what it gets and answers as it is told. */
export async function startReceiver(
  answer: (
    count: number,
  ) => { status?: number; headers?: Record<string, string>; body?: string } | null,
  tls?: ServerOptions,
): Promise<Receiver> {
  const received: Received[] = [];
  const listener: RequestListener = (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      received.push({ url: request.url ?? '', headers: request.headers, body });
      const given = answer(received.length);
      // Null: silence.
      if (given !== null) response.writeHead(given.status ?? 200, given.headers).end(given.body);
    });
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    received,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
