import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Api,
  type Identity,
  type PrivateJwk,
  startIdentity,
} from '@millrace/simulator-identity';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { need } from '../../scripts/need.mjs';
import { startMain } from '../../server/test/process.ts';
import { signIn } from '../../lab/simulators/identity/test/browser.ts';
import { testDatabases } from '../../stores/postgres/test/databases.ts';

/** The shipped deployment as it is, with what its capitals stand for, and tokens as Entra signs them. */

await need('build');

const root = join(import.meta.dirname, '../..');
const TENANT = '72f988bf-86f1-41af-91ab-2d7cd011db47';
const CLIENT_ID = '6e74172b-be56-4843-9ff4-e66a39bb12e3';
const PUBLIC_CLIENT_ID = '75dbe77f-10a3-4e59-85fd-8c127544f17c';
const DAEMON = { id: '0f6f0a4c-5a0e-4d0c-9b4e-8f7d2c1b3a90', secret: 'hush', roles: ['operator'] };
const ADA = 'ada@contoso.test';
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface ContainerApp {
  readonly properties: {
    readonly template: {
      readonly containers: readonly [
        { readonly env: readonly { readonly name: string; readonly value?: string }[] },
      ];
    };
  };
}

/** Without those of an org, as the file says for who has none. */
async function shippedVariables(): Promise<Record<string, string>> {
  const text = await readFile(join(root, 'docs/operations/container-app.yaml'), 'utf8');
  const [{ env }] = (parse(text) as ContainerApp).properties.template.containers;
  return Object.fromEntries(
    env.flatMap(({ name, value }) =>
      value === undefined || name.startsWith('SALESFORCE_') ? [] : [[name, value]],
    ),
  );
}

/** As the guide says: the ids of the tenant and of the two registrations. */
function filledIn(value: string): string {
  return value
    .replaceAll('PUBLIC-CLIENT-ID', PUBLIC_CLIENT_ID)
    .replaceAll('CLIENT-ID', CLIENT_ID)
    .replaceAll('TENANT', TENANT);
}

const cleanups: (() => Promise<unknown>)[] = [];
let keys: PrivateJwk[] | undefined;

/** All have the same keys, as all of Entra's issuers for one tenant do. */
async function startEntra(api: Api, tenant = TENANT): Promise<Identity> {
  const identity = await startIdentity({
    tenant,
    issuerHost: 'entra',
    api: { clientId: CLIENT_ID, ...api },
    users: [{ username: ADA, name: 'Ada', roles: ['viewer'] }],
    clients: [{ id: PUBLIC_CLIENT_ID }, DAEMON],
    ...(keys !== undefined && { keys }),
  });
  cleanups.push(() => identity.close());
  keys ??= await identity.exportKeys();
  return identity;
}

let url: string;
let scope: string;
const entra = {} as Record<1 | 2, Identity>;

beforeAll(async () => {
  entra[2] = await startEntra({ tokenVersion: 2 });
  entra[1] = await startEntra({ tokenVersion: 1 });
  const folder = await mkdtemp(join(tmpdir(), 'millrace-entra-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const databases = await testDatabases();
  cleanups.push(() => databases.remove());
  const database = await databases.create();
  cleanups.push(() => database.drop());
  const variables = Object.entries(await shippedVariables()).map(([name, value]) => [
    name,
    filledIn(value),
  ]);
  const shipped = Object.fromEntries(variables) as Record<string, string>;
  const jwks = shipped['JWKS_URI'] ?? '';
  const server = startMain(
    {
      NODE_ENV: 'production', // as the image has it
      ...shipped,
      // Secrets, which the file only refers to.
      DATABASE_URL: database.url,
      AZURE_MONITOR_CONNECTION_STRING: `InstrumentationKey=${TENANT};IngestionEndpoint=https://127.0.0.1:1/`,
      // Where things are.
      HOST: '127.0.0.1',
      PORT: '0',
      MILLRACE_METRICS_PORT: '0',
      MILLRACE_DATA: folder,
      // The Postgres of the tests is on this machine and has no certificate.
      DATABASE_SSL: 'disable',
      JWKS_URI: jwks.replace('https://login.microsoftonline.com', entra[2].origin),
    },
    folder,
  );
  cleanups.push(async () => {
    server.child.kill('SIGTERM'); // by SIGKILL it would leave the folder of its LibreOffice
    await server.ended;
  });
  [, url = ''] = await server.says(/"address":"([^"]+)"/);
  const answer = await fetch(`${url}/signin`);
  expect(await answer.clone().json()).toMatchObject({
    issuer: `https://login.microsoftonline.com/${TENANT}/v2.0`,
    clientId: PUBLIC_CLIENT_ID,
  });
  ({ scope } = (await answer.json()) as { scope: string });
}, 120_000);

afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

async function post(identity: Identity, endpoint: string, fields: Record<string, string>) {
  const tenant = new URL(identity.jwksUri).pathname.split('/')[1];
  const response = await fetch(`${identity.origin}/${tenant}/oauth2/v2.0/${endpoint}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  });
  return (await response.json()) as Record<string, string>;
}

/** As `millrace login --device` asks for it. */
async function delegated(identity: Identity, of = `openid profile offline_access ${scope}`) {
  const client = { client_id: PUBLIC_CLIENT_ID };
  const started = await post(identity, 'devicecode', { ...client, scope: of });
  await signIn(started['verification_uri_complete'] ?? '', ADA);
  const given = await post(identity, 'token', {
    ...client,
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: started['device_code'] ?? '',
  });
  return given['access_token'] ?? '';
}

async function appOnly(identity: Identity, of = scope): Promise<string> {
  const given = await post(identity, 'token', {
    grant_type: 'client_credentials',
    client_id: DAEMON.id,
    client_secret: DAEMON.secret,
    scope: of,
  });
  return given['access_token'] ?? '';
}

async function ask(token: string, path = '/me', method = 'GET') {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const app = { name: `app:${DAEMON.id}`, subject: expect.stringMatching(GUID), roles: ['operator'] };
const person = { name: ADA, subject: expect.stringMatching(GUID), roles: ['viewer'] };

describe.each([2, 1] as const)('container-app.yaml lets in, of version %i,', (version) => {
  test('a person who signed in with the scope of /signin', async () => {
    expect(await ask(await delegated(entra[version]))).toMatchObject({ status: 200, body: person });
  });

  test('a person by the scope that the guide exposes', async () => {
    const token = await delegated(entra[version], `profile api://${CLIENT_ID}/access_as_user`);
    expect(await ask(token)).toMatchObject({ status: 200, body: person });
  });

  test('an app with its own secret', async () => {
    expect(await ask(await appOnly(entra[version]))).toMatchObject({ status: 200, body: app });
  });

  test('an app that called the API by its bare id', async () => {
    const token = await appOnly(entra[version], `${CLIENT_ID}/.default`);
    expect(await ask(token)).toMatchObject({ status: 200, body: app });
  });

  test('nobody with a token for something else, or of another tenant', async () => {
    expect(await ask(await delegated(entra[version], 'openid profile'))).toMatchObject({
      status: 403,
      body: { code: 'wrong_audience' },
    });
    const elsewhere = await startEntra({ tokenVersion: version }, PUBLIC_CLIENT_ID);
    expect(await ask(await appOnly(elsewhere))).toMatchObject({
      status: 403,
      body: { code: 'wrong_issuer' },
    });
  });
});

test('the audit log has the program by its registration, and its subject beside it', async () => {
  const token = await appOnly(entra[2]);
  expect((await ask(token, '/kinds/hello/pause', 'POST')).status).toBeLessThan(500);
  const { body: me } = await ask(token);
  const { body } = await ask(token, '/audit');
  expect(body['entries']).toMatchObject([{ actor: `app:${DAEMON.id}`, subject: me['subject'] }]);
});

test('the guide has the values of container-app.yaml', async () => {
  const guide = await readFile(join(root, 'docs/identity.md'), 'utf8');
  const shipped = await shippedVariables();
  for (const name of ['ISSUER', 'AUDIENCE', 'JWKS_URI', 'MILLRACE_CLIENT_ID']) {
    expect(guide).toContain(`| \`${name}\` | \`${shipped[name]}\` |`);
  }
});
