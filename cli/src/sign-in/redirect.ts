import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where the browser comes back to: this process, for as long as the sign-in takes. */
export interface Redirect {
  readonly uri: string;
  /** The first request that bears this state. Others are refused, and reported to `onStranger`. */
  receive(state: string, onStranger: () => void): Promise<Returned>;
  close(): void;
}

export interface Returned {
  readonly answer: URL;
  /** Shown to the person in the browser. */
  show(sentence: string): Promise<void>;
}

/** Ends by throwing when `interrupted` is aborted. */
export async function openRedirect(interrupted: AbortSignal): Promise<Redirect> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  // "localhost", not 127.0.0.1: the one loopback name for which Entra ID takes any port as registered.
  const uri = `http://localhost:${port}/`;
  return {
    uri,
    receive: (state, onStranger) =>
      new Promise((resolve, reject) => {
        const interrupt = () => reject(interrupted.reason as Error);
        if (interrupted.aborted) interrupt();
        interrupted.addEventListener('abort', interrupt, { once: true });
        server.on('request', (request, response) => {
          const answer = URL.canParse(request.url ?? '', uri)
            ? new URL(request.url ?? '', uri)
            : null;
          if (request.method !== 'GET' || answer?.pathname !== '/') {
            void show(response, 404, 'Not found.');
          } else if (answer.searchParams.get('state') === state) {
            resolve({ answer, show: (sentence) => show(response, 200, sentence) });
          } else {
            void show(response, 400, 'This link belongs to another sign-in.');
            onStranger();
          }
        });
      }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Its address has the code in it, so the page is neither kept nor named to anyone. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
};

/** Only sentences of ours come here: nothing has to be escaped. Ends when it is on its way. */
function show(response: ServerResponse, status: number, sentence: string): Promise<void> {
  const page = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Millrace</title>
<body style="font: 1.1rem system-ui, sans-serif; margin: 20vh auto; max-width: 30rem; padding: 0 1rem">
<p>${sentence}</p></body></html>
`;
  return new Promise((resolve) => {
    if (response.closed) return resolve(); // the window was closed meanwhile
    response.once('close', resolve);
    response.writeHead(status, HEADERS).end(page);
  });
}
