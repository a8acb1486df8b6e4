import { onTestFinished } from 'vitest';
import {
  type CallReport,
  type Salesforce,
  type SalesforceConfig,
  type SalesforceError,
  type SalesforceParts,
  createSalesforce,
} from '../src/index.ts';
import {
  type Recorder,
  type Scripted,
  type Step,
  createRecorder,
  json,
  openScripted,
  errorOf as thrownBy,
} from '../../test/scripted.ts';

// An org that says what the test wrote for it, over real HTTP.

/** Its logins are the forms that asked for a token. */
export type Org = Scripted<URLSearchParams>;

export function openOrg(): Promise<Org> {
  return openScripted({
    loginPath: '/services/oauth2/token',
    loginOf: (body) => new URLSearchParams(body),
    tokenAnswer: (url, nth) => ({ access_token: `token-${nth}`, instance_url: url }),
    otherwise: json(200, {}),
    encoding: 'latin1',
  });
}

export function refuses(status: number, errorCode: string, message = 'No.'): Step {
  return json(status, [{ errorCode, message }]);
}

/** Promises more than it sends. */
export function cutsOff(text: string, promised = text.length + 10): Step {
  return ({ request, response }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': promised });
    response.write(text, () => request.socket.destroy());
  };
}

export interface Connected extends Omit<Recorder<CallReport>, 'parts'> {
  readonly salesforce: Salesforce;
}

export const SECRET = 'very-secret-client-secret';

export function connect(
  org: Pick<Org, 'url'>,
  config: Partial<SalesforceConfig> = {},
  parts: SalesforceParts = {},
): Connected {
  const { parts: recording, lines, reports, slept } = createRecorder<CallReport>();
  const salesforce = createSalesforce(
    {
      loginUrl: org.url,
      auth: { type: 'clientCredentials', clientId: 'client', clientSecret: SECRET },
      timeoutMs: 20_000,
      ...config,
    },
    { ...recording, ...parts },
  );
  onTestFinished(() => salesforce.close());
  return { salesforce, reports, lines, slept };
}

export function errorOf(promise: Promise<unknown>): Promise<SalesforceError> {
  return thrownBy<SalesforceError>(promise);
}
