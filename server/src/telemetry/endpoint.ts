import { createServer } from 'node:http';
import { addressOf } from '../address.ts';
import { StartError } from '../start-error.ts';
import type { Telemetry } from './telemetry.ts';

/** /metrics on a port of its own, for a scraper in a network that keeps others out: nobody is asked for a token. */
export async function serveMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  telemetry: Pick<Telemetry, 'scrape'>,
): Promise<{ readonly address: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    telemetry.scrape().then(
      (text) =>
        response
          .writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
          .end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new StartError(`Metrics cannot be served on ${host}, port ${port}: ${error.message}`, {
          cause: error,
        }),
      ),
    );
    server.listen(port, host, resolve);
  });
  return {
    address: `${addressOf(server)}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
