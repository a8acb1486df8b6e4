import { createHash, randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError } from '@millrace/api';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { type AuthInfo, isInitializeRequest } from '@modelcontextprotocol/server';
import type { Context } from '../context.ts';
import { failureOf } from '../failure.ts';
import { EXIT, type ExitCode } from '../line/exit.ts';
import { UsageError } from '../line/usage-error.ts';
import { type Session, createSession } from './session.ts';

/**
 * The protocol over HTTP, on this machine alone (docs/decisions/0037-agents.md). It is a bridge: each request brings the token of its caller, which goes on
 * to the server as it is, and is neither kept nor logged. Nothing is done with the sign-in of whoever started the bridge.
 */

const PATH = '/mcp';
/** A job takes 1 MiB; a document's data may be larger. */
const MOST_BYTES = 4 * 1_024 * 1_024;
/** Whoever has most of them makes room, with the one that was silent for longest: nobody's is ended by the many of another. */
const MOST_SESSIONS = 64;

interface Open {
  readonly subject: string;
  /** The digest of the last token that was verified for this caller. */
  digest: string;
  readonly session: Session;
  readonly transport: NodeStreamableHTTPServerTransport;
}

/** Answered without a word about what was asked. */
class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export async function serveHttp(context: Context, port: number): Promise<ExitCode> {
  const { world, url, note } = context;
  const sessions = new Map<string, Open>();
  const bridge = createServer((request, response) => {
    answer(context, sessions, request, response).catch((thrown: unknown) => {
      refuse(response, thrown, url);
    });
  });
  await new Promise<void>((resolve, reject) => {
    bridge.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error);
      reject(new UsageError(`Port ${port} is already in use. Choose another with --port.`));
    });
    bridge.listen(port, '127.0.0.1', resolve);
  });
  const { port: listens } = bridge.address() as AddressInfo;
  note(
    `Serving the Model Context Protocol at http://127.0.0.1:${listens}${PATH} for ${url}. Ctrl-C stops it.`,
  );
  await new Promise<void>((resolve) => {
    if (world.interrupted.aborted) resolve();
    world.interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
  for (const { session } of sessions.values()) await session.close();
  await new Promise((resolve) => {
    bridge.close(resolve);
    bridge.closeAllConnections();
  });
  return EXIT.interrupted;
}

async function answer(
  context: Context,
  sessions: Map<string, Open>,
  request: IncomingMessage & { auth?: AuthInfo },
  response: ServerResponse,
): Promise<void> {
  checkAddress(request);
  const token = tokenOf(request);
  const id = request.headers['mcp-session-id'];
  const body = request.method === 'POST' ? await jsonOf(request) : undefined;
  if (token !== null) request.auth = { token, clientId: '', scopes: [] };
  if (typeof id === 'string') {
    const open = sessions.get(id);
    if (open === undefined || !(await isCaller(context, open, token)))
      throw new Refused(404, 'There is no such session. Begin a new one.');
    // Last in the order of the map: the first one is the one that was silent for longest.
    sessions.delete(id);
    sessions.set(id, open);
    return open.transport.handleRequest(request, response, body);
  }
  if (!isInitializeRequest(body)) throw new Refused(400, 'Begin with initialize.');
  const open = await begin(context, sessions, token);
  return open.transport.handleRequest(request, response, body);
}

async function begin(
  context: Context,
  sessions: Map<string, Open>,
  token: string | null,
): Promise<Open> {
  const subject = await subjectOf(context, token);
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized(id) {
      sessions.set(id, open);
      const over = sessions.size > MOST_SESSIONS ? oldestOfMost(sessions) : undefined;
      if (over === undefined) return;
      sessions.delete(over[0]);
      void over[1].session.close();
    },
    onsessionclosed: (id) => void sessions.delete(id),
  });
  const session = createSession({
    context,
    clientFor: context.clientWith,
    advice: () => null,
    folder: null,
  });
  const open: Open = { subject, digest: digestOf(token), session, transport };
  await session.connect(transport);
  return open;
}

function oldestOfMost(sessions: ReadonlyMap<string, Open>): [string, Open] | undefined {
  const bySubject = new Map<string, [string, Open][]>();
  for (const entry of sessions)
    bySubject.set(entry[1].subject, [...(bySubject.get(entry[1].subject) ?? []), entry]);
  const [most] = [...bySubject.values()].toSorted((a, b) => b.length - a.length);
  return most?.[0];
}

/** Tokens are renewed: another one of the same caller will do, one of anybody else will not. */
async function isCaller(context: Context, open: Open, token: string | null): Promise<boolean> {
  const digest = digestOf(token);
  if (digest === open.digest) return true;
  if ((await subjectOf(context, token)) !== open.subject) return false;
  open.digest = digest;
  return true;
}

/** The server says who it is, or refuses. */
async function subjectOf(context: Context, token: string | null): Promise<string> {
  return (await context.clientWith(token).me()).subject;
}

function digestOf(token: string | null): string {
  return createHash('sha256')
    .update(token ?? '')
    .digest('base64');
}

/**
 * Any web page can send requests to 127.0.0.1, and with a name that resolves to it (DNS rebinding) read the answers. Browsers
 * tell the name in Host and the page in Origin. Programs send no Origin.
 */
function checkAddress({
  headers: { host = '', origin },
  url,
  socket: { localPort },
}: IncomingMessage): void {
  const own = [`127.0.0.1:${localPort}`, `localhost:${localPort}`];
  if (!own.includes(host)) throw new Refused(403, 'The header Host names another server.');
  if (origin !== undefined && !own.some((each) => origin === `http://${each}`))
    throw new Refused(403, 'A page of another origin may not ask here.');
  if (url?.split('?')[0] !== PATH) throw new Refused(404, `Not found. The only path is ${PATH}.`);
}

function tokenOf({ headers: { authorization } }: IncomingMessage): string | null {
  if (authorization === undefined) return null;
  const [, token] = /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization) ?? [];
  if (token === undefined) throw new Refused(401, 'The header Authorization has no bearer token.');
  return token;
}

async function jsonOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Refused(413, `A message has at most ${MOST_BYTES} bytes.`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new Refused(400, 'The body is not JSON.');
  }
}

/** In the form of JSON-RPC, with the status that says it to programs that know HTTP alone. */
function refuse(response: ServerResponse, thrown: unknown, url: string): void {
  if (response.headersSent) return void response.destroy();
  const status = statusOf(thrown);
  const message = thrown instanceof Refused ? thrown.message : failureOf(thrown, url).sentence;
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    connection: 'close',
  });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }));
}

function statusOf(thrown: unknown): number {
  if (thrown instanceof Refused) return thrown.status;
  if (thrown instanceof ApiError) return thrown.problem.status;
  return 502;
}
