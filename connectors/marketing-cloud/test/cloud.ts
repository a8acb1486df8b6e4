import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import {
  type BusinessUnit,
  type CallReport,
  type MarketingCloud,
  type MarketingCloudConfig,
  type MarketingCloudError,
  type MarketingCloudParts,
  createMarketingCloud,
} from '../src/index.ts';

// A Marketing Cloud that says what the test wrote for it, over real HTTP.

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

/** What it does with one request. */
export type Step = (exchange: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly seen: Seen;
}) => void | Promise<void>;

export interface Cloud {
  readonly url: string;
  /** API requests, whole, in the order of their arrival. */
  readonly seen: Seen[];
  /** What was asked for a token with. */
  readonly logins: Record<string, unknown>[];
  /** The next API requests; after them, `otherwise`. */
  will(...steps: Step[]): void;
  otherwise(step: Step): void;
  /** Instead of a new token for each question. */
  login(step: Step): void;
}

export async function openCloud(): Promise<Cloud> {
  const steps: Step[] = [];
  const seen: Seen[] = [];
  const logins: Record<string, unknown>[] = [];
  let otherwise: Step = json(404, { errorcode: 404, message: 'Not Found' });
  let login: Step = (exchange) => json(200, tokenAnswer(url, `token-${logins.length}`))(exchange);

  const server = createServer((request, response) => {
    void serve(request, response);
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (body === null) return;
    const entry = seenOf(request, body);
    if (entry.path === '/v2/token') {
      logins.push(JSON.parse(body) as Record<string, unknown>);
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
  };
}

/** As `POST /v2/token` answers, with the slashes at the end of the addresses. */
export function tokenAnswer(url: string, token: string, more: object = {}): object {
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: 1079,
    scope: 'automations_read automations_write automations_execute',
    soap_instance_url: `${url}/`,
    rest_instance_url: `${url}/`,
    ...more,
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

/** The page of a gateway or a proxy. */
export function page(status: number): Step {
  return raw(status, '<!DOCTYPE html><html><body>Down<br></body></html>', {
    'content-type': 'text/html',
  });
}

/** As REST answers an account that it has blocked, without Retry-After. */
export const blocked = json(429, {
  message: 'Your requests are temporarily blocked.',
  errorcode: 50200,
});

/** An answer of the SOAP API: the message's name and what is in it. */
export function soap(message: string, inner: string, status = 200): Step {
  return raw(
    status,
    `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soap:Header><wsa:Action xmlns:wsa="http://schemas.xmlsoap.org/ws/2004/08/addressing">x</wsa:Action></soap:Header><soap:Body><${message} xmlns="http://exacttarget.com/wsdl/partnerAPI">${inner}</${message}></soap:Body></soap:Envelope>`,
    { 'content-type': 'text/xml; charset=utf-8' },
  );
}

export function retrieved(inner: string, overall = 'OK', requestId = 'request-1'): Step {
  return soap(
    'RetrieveResponseMsg',
    `<OverallStatus>${overall}</OverallStatus><RequestID>${requestId}</RequestID>${inner}`,
  );
}

/** NewID is 0, as it often is. */
export const CREATED = `<Results><StatusCode>OK</StatusCode><StatusMessage>Created</StatusMessage><OrdinalID>0</OrdinalID><NewID>0</NewID><NewObjectID>0c1f5f5e-0000-4000-8000-000000000001</NewObjectID></Results><RequestID>r</RequestID><OverallStatus>OK</OverallStatus>`;
export const ID = '0c1f5f5e-0000-4000-8000-000000000001';

/** A failure of the business: HTTP says 200. */
export function failed(message: string, code: string, answer = 'CreateResponse'): Step {
  return soap(
    answer,
    `<Results><StatusCode>Error</StatusCode><StatusMessage>${message}</StatusMessage><ErrorCode>${code}</ErrorCode><NewID>0</NewID></Results><OverallStatus>Error</OverallStatus>`,
  );
}

/** "SOAP Faults" of the SOAP API. */
export function fault(faultcode: string, faultstring: string, apiCode?: number): Step {
  const detail =
    apiCode === undefined
      ? ''
      : `<detail><apifault xmlns="urn:fault.partner.exacttarget.com"><Code>${apiCode}</Code><Message>${faultstring}</Message></apifault></detail>`;
  return raw(
    500,
    `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><soap:Fault><faultcode xmlns:q0="urn:wss">${faultcode}</faultcode><faultstring>${faultstring}</faultstring>${detail}</soap:Fault></soap:Body></soap:Envelope>`,
    { 'content-type': 'text/xml; charset=utf-8' },
  );
}

export const tokenExpired = fault('q0:Security', 'Token Expired');

/** Takes the request and breaks the connection: was it done or not? */
export const losesAnswer: Step = ({ request }) => {
  request.socket.destroy();
};

/** Never answers; `arrived` resolves when the request is there. */
export function hangs(): { readonly step: Step; readonly arrived: Promise<void> } {
  let reach = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return { step: () => reach(), arrived };
}

export interface Connected {
  readonly cloud: MarketingCloud;
  readonly unit: BusinessUnit;
  readonly reports: CallReport[];
  readonly lines: string[];
  /** What it would have slept. Sleeping moves the clock. */
  readonly slept: number[];
  /** Moves the clock. */
  pass(ms: number): void;
}

export const SECRET = 'very-secret-client-secret';
export const MID = '510000123';
export const START = Date.UTC(2026, 0, 1);

export function connect(
  to: Pick<Cloud, 'url'>,
  config: Partial<MarketingCloudConfig> = {},
  parts: MarketingCloudParts = {},
): Connected {
  const reports: CallReport[] = [];
  const lines: string[] = [];
  const slept: number[] = [];
  let now = START;
  const line = (fields: object, message: string): void => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  const cloud = createMarketingCloud(
    {
      authUrl: to.url,
      clientId: 'client',
      clientSecret: SECRET,
      timeoutMs: 20_000,
      ...config,
    },
    {
      now: () => now,
      random: () => 0.5,
      sleep: async (ms, signal) => {
        signal?.throwIfAborted();
        slept.push(ms);
        now += ms;
      },
      onCall: (report) => reports.push(report),
      log: { info: line, warn: line, error: line },
      ...parts,
    },
  );
  atEnd(() => cloud.close());
  return {
    cloud,
    unit: cloud.businessUnit(MID),
    reports,
    lines,
    slept,
    pass(ms) {
      now += ms;
    },
  };
}

/** The error it ends with; a success is a failure here. */
export async function errorOf(promise: Promise<unknown>): Promise<MarketingCloudError> {
  try {
    await promise;
  } catch (error) {
    return error as MarketingCloudError;
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

/** Null when the connection broke before the end. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    return null;
  }
  return Buffer.concat(chunks).toString('utf8');
}
