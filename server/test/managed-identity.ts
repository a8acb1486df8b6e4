import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Where Azure gives tokens of a managed identity, in both of its forms, written from Microsoft's documents:
 *
 * - the metadata service of a virtual machine: "How to use managed identities for Azure resources on an Azure VM to
 *   acquire an access token", sections "Get a token using HTTP" and "Error handling"
 *   (https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token);
 * - the endpoint of App Service and Container Apps: "Managed identities in Azure Container Apps", section "REST endpoint
 *   reference" (https://learn.microsoft.com/azure/container-apps/managed-identity).
 */
export interface ManagedIdentity {
  /** What IDENTITY_ENDPOINT and IDENTITY_HEADER would say. */
  readonly endpoint: { readonly url: string; readonly header: string };
  /** What a virtual machine has at 169.254.169.254. */
  readonly metadataService: string;
  /** The requests so far: their query. */
  readonly asked: Record<string, string>[];
  /** What the next requests get, before it is all well again. */
  readonly faults: Fault[];
  /** Sets the token that it issues from now on, and its expiry. */
  issue(token: string, endsAtMs: number): void;
  close(): Promise<void>;
}

/** A status with its body, or an answer that never ends. */
export type Fault = { readonly status: number; readonly body: unknown } | 'endless';

const HEADER = '853b9a84-5bfa-4b22-a3f3-0b9a43d9ad8a';
const VM_PATH = '/metadata/identity/oauth2/token';
const APP_PATH = '/msi/token';

export async function startManagedIdentity(): Promise<ManagedIdentity> {
  const asked: Record<string, string>[] = [];
  const faults: Fault[] = [];
  let token = 'token';
  let endsAt = Date.now() + 3_600_000;

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://here');
    const query = Object.fromEntries(url.searchParams);
    asked.push(query);
    const fault = faults.shift();
    if (fault === 'endless') return endless(response);
    if (fault !== undefined) return send(response, fault.status, fault.body);
    const refusal = refusalOf(request, url.pathname, query);
    if (refusal !== null)
      return send(response, 400, { error: refusal, error_description: 'Do not read this.' });
    const resource = query['resource'];
    const expires_on = String(Math.floor(endsAt / 1_000));
    const common = { access_token: token, expires_on, resource, token_type: 'Bearer' };
    send(
      response,
      200,
      url.pathname === VM_PATH
        ? { ...common, refresh_token: '', expires_in: '3599', not_before: '1506480273' }
        : { ...common, client_id: '5E29463D-71DA-4FE0-8E69-999B57DB23B0' },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    endpoint: { url: `${origin}${APP_PATH}`, header: HEADER },
    metadataService: `${origin}${VM_PATH}`,
    asked,
    faults,
    issue(value, endsAtMs) {
      token = value;
      endsAt = endsAtMs;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function refusalOf(
  { headers, method }: IncomingMessage,
  path: string,
  query: Record<string, string>,
): string | null {
  if (method !== 'GET' || query['resource'] === undefined) return 'invalid_request';
  if (path === VM_PATH) {
    if (headers['metadata'] !== 'true') return 'bad_request_102';
    return query['api-version'] === '2018-02-01' ? null : 'invalid_request';
  }
  if (path !== APP_PATH || headers['x-identity-header'] !== HEADER) return 'unauthorized_client';
  return query['api-version'] === '2019-08-01' ? null : 'invalid_request';
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function endless(response: ServerResponse): void {
  const more = (): void => {
    while (!response.destroyed && response.write(' '.repeat(16_384)));
  };
  response.on('drain', more);
  more();
}
