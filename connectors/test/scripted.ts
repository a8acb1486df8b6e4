import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

// A server that says what the test wrote for it, over real HTTP: for the tests of connectors.

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the server does with one request. */
export type Step = (exchange: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly seen: Seen;
}) => void | Promise<void>;

export interface Scripted<Login> {
  readonly url: string;
  /** API requests, whole, in the order of their arrival. */
  readonly seen: Seen[];
  /** What a token was asked for with. */
  readonly logins: Login[];
  /** The next API requests; after them, `otherwise`. */
  will(...steps: Step[]): void;
  otherwise(step: Step): void;
  /** Instead of a new token for each question. */
  login(step: Step): void;
  /** The next API request, whose body is not read first. */
  unread(step: Step): void;
}

export async function openScripted<Login>(params: {
  readonly loginPath: string;
  loginOf(body: string): Login;
  /** The answer to the n-th question for a token, from 1. */
  tokenAnswer(url: string, nth: number): unknown;
  readonly otherwise: Step;
  readonly encoding: 'utf8' | 'latin1';
}): Promise<Scripted<Login>> {
  const steps: Step[] = [];
  const seen: Seen[] = [];
  const logins: Login[] = [];
  let { otherwise } = params;
  let unread: Step | null = null;
  let login: Step = (exchange) => json(200, params.tokenAnswer(url, logins.length))(exchange);

  const server = createServer((request, response) => {
    void serve(request, response);
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isLogin = request.url === params.loginPath;
    if (unread !== null && !isLogin) {
      const step = unread;
      unread = null;
      await step({ request, response, seen: seenOf(request, '') });
      return;
    }
    const body = await bodyOf(request, params.encoding);
    if (body === null) return;
    const entry = seenOf(request, body);
    if (isLogin) {
      logins.push(params.loginOf(body));
      await login({ request, response, seen: entry });
      return;
    }
    seen.push(entry);
    await (steps.shift() ?? otherwise)({ request, response, seen: entry });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url,
    seen,
    logins,
    will(...more) {
      steps.push(...more);
    },
    otherwise(step) {
      otherwise = step;
    },
    login(step) {
      login = step;
    },
    unread(step) {
      unread = step;
    },
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return raw(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
}

export function raw(status: number, body: string, headers: Record<string, string> = {}): Step {
  return ({ response }) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

/** Takes the request and breaks the connection: was it done or not? */
export const losesAnswer: Step = ({ request }) => {
  request.socket.destroy();
};

/** A promise to wait on, and the way to fulfil it. */
export function mark(): { readonly reached: Promise<void>; readonly reach: () => void } {
  let reach = (): void => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return { reached, reach };
}

/** Never answers; `arrived` resolves when the request is there. */
export function hangs(): { readonly step: Step; readonly arrived: Promise<void> } {
  const { reached, reach } = mark();
  return { step: reach, arrived: reached };
}

/** What a connector logs, reports and would have slept, instead of doing so. */
export interface Recorder<Report> {
  readonly lines: string[];
  readonly reports: Report[];
  readonly slept: number[];
  readonly parts: {
    readonly log: Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;
    readonly random: () => number;
    onCall(report: Report): void;
    sleep(ms: number, signal?: AbortSignal): Promise<void>;
  };
}

export function createRecorder<Report>(): Recorder<Report> {
  const lines: string[] = [];
  const reports: Report[] = [];
  const slept: number[] = [];
  const line = (fields: object, message: string): void => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  return {
    lines,
    reports,
    slept,
    parts: {
      log: { info: line, warn: line, error: line },
      random: () => 0.5,
      onCall(report) {
        reports.push(report);
      },
      async sleep(ms, signal) {
        signal?.throwIfAborted();
        slept.push(ms);
      },
    },
  };
}

/** The error it ends with; a success is a failure here. */
export async function errorOf<Failure>(promise: Promise<unknown>): Promise<Failure> {
  try {
    await promise;
  } catch (error) {
    return error as Failure;
  }
  throw new Error('It did not fail.');
}

function seenOf(request: IncomingMessage, body: string): Seen {
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    ),
    body,
  };
}

/** Null when the connection broke before the end. Where bytes are sent, latin1 loses none. */
async function bodyOf(
  request: IncomingMessage,
  encoding: 'utf8' | 'latin1',
): Promise<string | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    return null;
  }
  return Buffer.concat(chunks).toString(encoding);
}
