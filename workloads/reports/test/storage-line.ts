import { type IncomingMessage, type ServerResponse, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A line to a storage on which requests are counted, held, answered otherwise or cut. */
export interface StorageLine {
  readonly url: string;
  /** Such as `PUT partNumber`, in the order of their arrival. */
  readonly seen: string[];
  /** What is done with each request from now on; null: it is passed on. */
  onRequest: ((exchange: Exchange) => Promise<void>) | null;
  close(): Promise<void>;
}

export interface Exchange {
  readonly what: string;
  /** From 1, since `reset`. */
  readonly nth: number;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Has the storage do it, and gives its answer; `answer` sends that on. */
  forward(): Promise<Forwarded>;
}

export interface Forwarded {
  readonly status: number;
  answer(): void;
}

export async function openStorageLine(target: string): Promise<StorageLine> {
  const seen: string[] = [];
  const line = { onRequest: null as StorageLine['onRequest'] };
  const server = createServer((incoming, response) => {
    const what = nameOf(incoming);
    seen.push(what);
    const forward = (): Promise<Forwarded> => forwarded(target, incoming, response);
    const passed = async (): Promise<void> => (await forward()).answer();
    const nth = seen.length;
    (line.onRequest?.({ what, nth, request: incoming, response, forward }) ?? passed()).catch(() =>
      response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    seen,
    get onRequest() {
      return line.onRequest;
    },
    set onRequest(does) {
      line.onRequest = does;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The method, and the query's first word, or `copy`. */
function nameOf({ method = '', url = '', headers }: IncomingMessage): string {
  if (headers['x-amz-copy-source'] !== undefined) return `${method} copy`;
  const [, query = ''] = url.split('?', 2);
  return `${method} ${query.split(/[=&]/, 1)[0] ?? ''}`.trim();
}

/** With the headers as they are: the host is part of the signature. */
async function forwarded(
  target: string,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<Forwarded> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const { hostname, port } = new URL(target);
  const { method, url, headers } = incoming;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path: url, headers }, resolve);
    outgoing.on('error', reject);
    outgoing.end(Buffer.concat(chunks));
  });
  const body: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) body.push(chunk);
  const status = answer.statusCode ?? 0;
  return {
    status,
    answer() {
      const { connection: _, 'transfer-encoding': __, ...kept } = answer.headers;
      response.writeHead(status, kept);
      response.end(Buffer.concat(body));
    },
  };
}
