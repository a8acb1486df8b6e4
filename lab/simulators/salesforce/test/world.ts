import { generateKeyPairSync, sign } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { onTestFinished, expect } from 'vitest';
import { type Salesforce, type SalesforceOptions, startSalesforce } from '../src/index.ts';

/** The objects that an admin deploys, as the package has them. */
export const OBJECTS = fileURLToPath(
  new URL('../../../../salesforce-package/force-app/main/default/objects', import.meta.url),
);

export const INTEGRATION = 'integration@sandbox.test';
export const ADA = 'ada@sandbox.test';
export const SECRET = 'p%ss: wörd+';
export const DATA = '/services/data/v66.0';
export const APEX = '/services/apexrest/millrace/v1';
/** Not on a whole second, so that what is cut can be seen. */
export const START = Date.parse('2026-05-20T10:00:00.789Z');

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const PUBLIC_KEY = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
export const PRIVATE_KEY = keys.privateKey;

/**
 * The JSON of an answer, whichever call it answers: all members that tests look into. One that an answer does not have is
 * undefined when the test runs, and fails it.
 */
export interface Body extends ReadonlyArray<Body> {
  readonly id: string;
  readonly Id: string;
  readonly success: boolean;
  readonly errors: Body;
  readonly errorCode: string;
  readonly message: string;
  readonly statusCode: string;
  readonly error_description: string;
  readonly access_token: string;
  readonly ContentDocumentId: string;
  readonly DailyApiRequests: Body;
  readonly totalSize: number;
  readonly done: boolean;
  readonly records: Body;
  readonly attributes: Body;
  readonly Worker__c: string;
  readonly nextRecordsUrl: string;
  readonly results: Body;
  readonly compositeResponse: Body;
  readonly httpStatusCode: number;
  readonly body: Body;
  readonly graphs: Body;
  readonly graphId: string;
  readonly graphResponse: Body;
  readonly isSuccessful: boolean;
  readonly now: number;
  readonly jobs: Body;
  readonly requestJson: string | null;
  readonly epoch: number;
  readonly more: boolean;
  readonly suspects: boolean;
  readonly answers: Body;
  readonly last: Body;
  /** Records of a subquery. */
  readonly [relation: `${string}__r`]: Body;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface World extends Salesforce {
  token(form: Readonly<Record<string, string>>): Promise<Answer>;
  /** As the integration user. A path without `/services` is below the version. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  query(soql: string, headers?: Record<string, string>): Promise<Answer>;
  create(type: string, fields: Readonly<Record<string, unknown>>): Promise<string>;
  /** Ends when so many transactions wait for a lock. */
  untilWaiting(count: number): Promise<void>;
}

/** The clock stands still until `advance` moves it. */
export async function startWorld(options: SalesforceOptions = {}): Promise<World> {
  const salesforce = await startSalesforce({
    objects: OBJECTS,
    users: [
      { username: INTEGRATION, name: 'Integration User' },
      { username: ADA, name: 'Ada Lovelace', integration: false },
    ],
    apps: [
      { clientId: 'service', secret: SECRET },
      { clientId: 'ada', secret: SECRET, runAs: ADA },
      { clientId: 'signer', certificate: PUBLIC_KEY, approved: [INTEGRATION] },
    ],
    now: () => START,
    ...options,
  });
  onTestFinished(() => salesforce.close());
  return worldOf(salesforce);
}

function worldOf(salesforce: Salesforce): World {
  const { origin } = salesforce;
  let session: string | undefined;

  async function token(form: Readonly<Record<string, string>>): Promise<Answer> {
    return answerOf(
      await fetch(`${origin}/services/oauth2/token`, {
        method: 'POST',
        body: new URLSearchParams(form),
      }),
    );
  }

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    session ??= (await token(CREDENTIALS)).body.access_token;
    const response = await fetch(origin + (path.startsWith('/services') ? path : DATA + path), {
      method,
      headers: {
        authorization: `Bearer ${session}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: bodyOf(body) }),
    });
    return answerOf(response);
  }

  // Not spread: calls and the clock are getters.
  return Object.assign(Object.create(salesforce) as Salesforce, {
    token,
    call,
    query: (soql: string, headers?: Record<string, string>) =>
      call('GET', `/query?q=${encodeURIComponent(soql)}`, undefined, headers),
    async create(type: string, fields: Readonly<Record<string, unknown>>) {
      const { status, body } = await call('POST', `/sobjects/${type}`, fields);
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body.id;
    },
    async untilWaiting(count: number) {
      // Each round is a request, so that the server gets its turn.
      while (salesforce.org.waiting < count) await fetch(`${origin}/_sim/api/state`);
    },
  });
}

export const CREDENTIALS = {
  grant_type: 'client_credentials',
  client_id: 'service',
  client_secret: SECRET,
};

function bodyOf(body: unknown): string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
}

async function answerOf(response: Response): Promise<Answer> {
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const body: unknown = isJson ? await response.json() : Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, body: body as Body };
}

/** An assertion of the JWT bearer grant, made by hand. */
export function assertion(
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = { alg: 'RS256' },
  key = PRIVATE_KEY,
): string {
  const text = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`;
}

/** The answer of the org to a record that it does not take. */
export async function refusalOf(world: World, type: string, fields: unknown): Promise<unknown> {
  const { status, body } = await world.call('POST', `/sobjects/${type}`, fields);
  expect(status).toBe(400);
  expect(body).toHaveLength(1);
  return body[0];
}
