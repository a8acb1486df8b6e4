import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ApiError,
  type Client,
  type Contract,
  type Issue,
  type LiveEvent,
  PROBLEM_TYPE,
  type RouteName,
  contracts,
  problemOf,
} from '@millrace/api';

/** What a route was asked, checked by its contract. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | number | undefined>>;
  readonly body: unknown;
  /** What came byte by byte. */
  readonly upload: { readonly type: string; readonly bytes: Buffer } | null;
  /** The token that came with it. */
  readonly token: string | null;
  readonly headers: IncomingMessage['headers'];
}

/** Gives the answer, or throws an ApiError. What is not here is not served. */
export type Handlers = {
  [Name in RouteName]?: (call: Call) => Awaited<ReturnType<Client[Name]>>;
};

export interface ContractServer {
  readonly url: string;
  /** `POST /jobs/batch`, in the order they came. */
  readonly requests: string[];
  /** The tokens they came with, in the same order. */
  readonly tokens: (string | null)[];
  stop(): Promise<void>;
}

/**
 * A real HTTP server that keeps to the contracts on both sides: a request that they do not allow is
 * refused, and an answer that they do not allow breaks the test.
 */
export async function startContractServer(
  handlers: Handlers,
  /** Without them, there is no GET /events. */
  streams?: Streams,
): Promise<ContractServer> {
  const requests: string[] = [];
  const tokens: (string | null)[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    tokens.push(tokenOf(request));
    void answer(handlers, streams, request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    tokens,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The live events of a server: what is told reaches whoever reads them. */
export interface Streams {
  add(response: ServerResponse, query: string): void;
  tell(event: LiveEvent): void;
  /** Resolves once the first line has ended, from either side. */
  readonly closed: Promise<void>;
  /** What each was opened with. */
  readonly queries: string[];
}

export function createStreams(): Streams {
  const open = new Set<ServerResponse>();
  let close = (): void => {};
  const closed = new Promise<void>((resolve) => (close = resolve));
  const queries: string[] = [];
  const frame = (event: LiveEvent): string => `data: ${JSON.stringify(event)}\n\n`;
  return {
    queries,
    closed,
    add(response, query) {
      queries.push(query);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(frame({ type: 'hello' }));
      open.add(response);
      response.on('close', () => {
        open.delete(response);
        close();
      });
    },
    tell(event) {
      for (const response of open) response.write(frame(event));
    },
  };
}

async function answer(
  handlers: Handlers,
  streams: Streams | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const url = new URL(request.url ?? '/', 'http://fake');
    const { name, contract, params } = routeOf(request.method ?? '', url.pathname);
    if (name === 'events' && streams !== undefined) return streams.add(response, url.search);
    const handler = handlers[name] as ((call: Call) => unknown) | undefined;
    if (handler === undefined) throw refusal('not_found', `The fake does not serve ${name}.`);
    const bytes = await bytesOf(request);
    const upload = contract.upload === undefined ? null : uploadOf(contract.upload, request, bytes);
    const body = upload === null ? jsonOf(bytes) : undefined;
    const given = handler({
      params: checked(contract.params, params) as Call['params'],
      query: checked(contract.query, Object.fromEntries(url.searchParams)) as Call['query'],
      body: checked(contract.body, body),
      upload,
      token: tokenOf(request),
      headers: request.headers,
    });
    if (given instanceof Response) return await sendBytes(response, contract, given);
    send(response, contract.statuses[0], 'application/json', contract.response.parse(given));
  } catch (thrown) {
    const told =
      thrown instanceof ApiError ? thrown.problem : problemOf('internal', String(thrown), 'fake');
    send(response, told.status, PROBLEM_TYPE, told);
  }
}

export function refusal(code: Parameters<typeof problemOf>[0], detail: string, issues?: Issue[]) {
  return new ApiError(problemOf(code, detail, 'fake', issues));
}

/** GET /reports/graph is not the report "graph". */
const literalFirst = (Object.entries(contracts) as [RouteName, Contract][]).toSorted(
  ([, a], [, b]) => a.path.split(':').length - b.path.split(':').length,
);

function routeOf(method: string, path: string) {
  for (const [name, contract] of literalFirst) {
    const pattern = contract.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)');
    const found = contract.method === method ? new RegExp(`^${pattern}$`).exec(path) : null;
    // POST /jobs/cancel is not the job "cancel": literal paths have no groups.
    if (found !== null) {
      const groups = Object.entries(found.groups ?? {});
      const params = Object.fromEntries(
        groups.map(([key, value]) => [key, decodeURIComponent(value)]),
      );
      return { name, contract, params };
    }
  }
  throw refusal('not_found', `No such route: ${method} ${path}.`);
}

function checked(schema: Contract['params'], value: unknown): unknown {
  const parsed = schema?.safeParse(value);
  if (parsed === undefined || parsed.success) return parsed?.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: path.join('.'),
    message,
  }));
  throw refusal('invalid_request', 'The request is not as documented.', issues);
}

function tokenOf({ headers }: IncomingMessage): string | null {
  return headers.authorization?.replace('Bearer ', '') ?? null;
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

function jsonOf(bytes: Buffer): unknown {
  return bytes.length === 0 ? undefined : (JSON.parse(bytes.toString()) as unknown);
}

function uploadOf(allowed: readonly string[], { headers }: IncomingMessage, bytes: Buffer) {
  const type = headers['content-type'] ?? '';
  if (!allowed.includes(type)) throw refusal('unsupported_media_type', `Not "${type}".`);
  return { type, bytes };
}

async function sendBytes(
  response: ServerResponse,
  { media, statuses }: Contract,
  given: Response,
): Promise<void> {
  if (media !== 'application/octet-stream' || !statuses.includes(given.status))
    throw new Error('The contract of this route knows no such answer.');
  response.writeHead(given.status, Object.fromEntries(given.headers));
  try {
    // Each has left before the next comes: what is cut off comes after it.
    for await (const chunk of given.body ?? [])
      await new Promise((resolve) => response.write(chunk, resolve));
    response.end();
  } catch {
    // The line breaks: what came so far must not look whole.
    response.destroy();
  }
}

function send(response: ServerResponse, status: number, type: string, body: unknown): void {
  response.writeHead(status, { 'content-type': type });
  response.end(JSON.stringify(body));
}
