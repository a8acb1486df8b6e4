import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import {
  type CallReport,
  type Salesforce,
  type SalesforceConfig,
  type SalesforceError,
  type SalesforceParts,
  createSalesforce,
} from '../src/index.ts';

// An org that says what the test wrote for it, over real HTTP.

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

export function atEnd(cleanup: () => Promise<void> | void): void {
  cleanups.push(cleanup);
}

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the org does with one request. */
export type Step = (exchange: {
  request: IncomingMessage;
  response: ServerResponse;
  seen: Seen;
}) => void | Promise<void>;

export interface Org {
  readonly url: string;
  /** API requests, whole, in the order of their arrival. */
  readonly seen: Seen[];
  /** Forms that asked for a token. */
  readonly forms: URLSearchParams[];
  /** The next API requests; after them, `otherwise`. */
  will(...steps: Step[]): void;
  otherwise(step: Step): void;
  /** Instead of a new token for each question. */
  login(step: Step): void;
  /** Does not read the body first. */
  raw(step: Step): void;
}

export async function openOrg(): Promise<Org> {
  const steps: Step[] = [];
  const seen: Seen[] = [];
  const forms: URLSearchParams[] = [];
  let otherwise: Step = json(200, {});
  let raw: Step | null = null;
  let login: Step = (exchange) =>
    json(200, { access_token: `token-${forms.length}`, instance_url: url })(exchange);

  const server = createServer((request, response) => {
    void serve(request, response);
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const isLogin = path === '/services/oauth2/token';
    if (raw !== null && !isLogin) {
      const step = raw;
      raw = null;
      await step({ request, response, seen: seenOf(request, '') });
      return;
    }
    const body = await bodyOf(request);
    if (body === null) return;
    const entry = seenOf(request, body);
    if (isLogin) {
      forms.push(new URLSearchParams(body));
      await login({ request, response, seen: entry });
      return;
    }
    seen.push(entry);
    await (steps.shift() ?? otherwise)({ request, response, seen: entry });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url,
    seen,
    forms,
    will(...more) {
      steps.push(...more);
    },
    otherwise(step) {
      otherwise = step;
    },
    login(step) {
      login = step;
    },
    raw(step) {
      raw = step;
    },
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return ({ response }) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

export function refuses(status: number, errorCode: string, message = 'No.'): Step {
  return json(status, [{ errorCode, message }]);
}

/** Takes the request and breaks the connection: was it done or not? */
export const losesAnswer: Step = ({ request }) => {
  request.socket.destroy();
};

/** Promises more than it sends. */
export function cutsOff(text: string, promised = text.length + 10): Step {
  return ({ request, response }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': promised });
    response.write(text, () => request.socket.destroy());
  };
}

/** A promise to wait on, and the way to fulfil it. */
export function mark(): { reached: Promise<void>; reach: () => void } {
  let reach = (): void => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return { reached, reach };
}

/** Never answers; `arrived` resolves when the request is there. */
export function hangs(): { step: Step; arrived: Promise<void> } {
  const { reached, reach } = mark();
  return { step: reach, arrived: reached };
}

export interface Connected {
  readonly salesforce: Salesforce;
  readonly reports: CallReport[];
  readonly lines: string[];
  /** What it would have slept. */
  readonly slept: number[];
}

export const SECRET = 'very-secret-client-secret';

export function connect(
  org: Pick<Org, 'url'>,
  config: Partial<SalesforceConfig> = {},
  parts: SalesforceParts = {},
): Connected {
  const reports: CallReport[] = [];
  const lines: string[] = [];
  const slept: number[] = [];
  const line = (fields: object, message: string): void => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  const salesforce = createSalesforce(
    {
      loginUrl: org.url,
      auth: { type: 'clientCredentials', clientId: 'client', clientSecret: SECRET },
      timeoutMs: 20_000,
      ...config,
    },
    {
      random: () => 0.5,
      sleep: async (ms, signal) => {
        signal?.throwIfAborted();
        slept.push(ms);
      },
      onCall: (report) => reports.push(report),
      log: { info: line, warn: line, error: line },
      ...parts,
    },
  );
  atEnd(() => salesforce.close());
  return { salesforce, reports, lines, slept };
}

/** The error it ends with; a success is a failure here. */
export async function errorOf(promise: Promise<unknown>): Promise<SalesforceError> {
  try {
    await promise;
  } catch (error) {
    return error as SalesforceError;
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

/** Null when the connection broke before the end. Bytes as latin1, so that none is lost. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    return null;
  }
  return Buffer.concat(chunks).toString('latin1');
}
