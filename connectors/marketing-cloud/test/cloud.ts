import { onTestFinished } from 'vitest';
import {
  type BusinessUnit,
  type CallReport,
  type MarketingCloud,
  type MarketingCloudConfig,
  type MarketingCloudError,
  type MarketingCloudParts,
  createMarketingCloud,
} from '../src/index.ts';
import {
  type Recorder,
  type Scripted,
  type Step,
  createRecorder,
  json,
  openScripted,
  raw,
  errorOf as thrownBy,
} from '../../test/scripted.ts';

// A Marketing Cloud that says what the test wrote for it, over real HTTP.

export type Cloud = Scripted<Record<string, unknown>>;

export function openCloud(): Promise<Cloud> {
  return openScripted({
    loginPath: '/v2/token',
    loginOf: (body) => JSON.parse(body) as Record<string, unknown>,
    tokenAnswer: (url, nth) => tokenAnswer(url, `token-${nth}`),
    otherwise: json(404, { errorcode: 404, message: 'Not Found' }),
    encoding: 'utf8',
  });
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

/** Sleeping moves the clock. */
export interface Connected extends Omit<Recorder<CallReport>, 'parts'> {
  readonly cloud: MarketingCloud;
  readonly unit: BusinessUnit;
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
  const { parts: recording, lines, reports, slept } = createRecorder<CallReport>();
  let now = START;
  const cloud = createMarketingCloud(
    {
      authUrl: to.url,
      clientId: 'client',
      clientSecret: SECRET,
      timeoutMs: 20_000,
      ...config,
    },
    {
      ...recording,
      now: () => now,
      sleep: async (ms, signal) => {
        await recording.sleep(ms, signal);
        now += ms;
      },
      ...parts,
    },
  );
  onTestFinished(() => cloud.close());
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

export function errorOf(promise: Promise<unknown>): Promise<MarketingCloudError> {
  return thrownBy<MarketingCloudError>(promise);
}
