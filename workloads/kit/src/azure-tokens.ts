import { setTimeout as sleep } from 'node:timers/promises';
import { HttpError, createPeer, sendOnce } from '@millrace/http';
import type { Credential } from '@millrace/store-postgres';
import { z } from 'zod';
import { withinTime } from './within-time.ts';

/** What tokens are for: the scope https://…/.default without its end. */
export const AZURE_RESOURCES = {
  postgres: 'https://ossrdbms-aad.database.windows.net',
  storage: 'https://storage.azure.com',
} as const;
/** https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token#get-a-token-using-http */
const METADATA_SERVICE = 'http://169.254.169.254/metadata/identity/oauth2/token';
const METADATA_VERSION = '2018-02-01';
/** https://learn.microsoft.com/azure/container-apps/managed-identity#rest-endpoint-reference; App Service has the same. */
const ENDPOINT_VERSION = '2019-08-01';

/** A token is good for an hour to a day; this much before its end a new one is asked for. */
const RENEW_BEFORE_MS = 5 * 60_000;
/** For all tries of one token: a connection to Postgres must be there within ten seconds. */
const LIMIT_MS = 8_000;
/** The metadata service asks not to be tried again within a second. */
const PAUSES_MS = [1_000, 2_000];
const LARGEST = 64 * 1024;

const peer = createPeer('the service of managed identities', HttpError);

const answer = z.object({
  access_token: z.string().min(1),
  // Seconds since 1970, as a text in all versions so far.
  expires_on: z.coerce.number().positive(),
});

interface Token {
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

/** A managed identity, and where its tokens come from. */
export interface AzureIdentity {
  /** Of App Service and Container Apps. Null: the metadata service of the virtual machine. */
  readonly endpoint: { readonly url: string; readonly header: string } | null;
  /** Which one, where there are several. */
  readonly clientId: string | null;
}

export interface AzureTokenParams extends AzureIdentity {
  readonly resource: (typeof AZURE_RESOURCES)[keyof typeof AZURE_RESOURCES];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Instead of the virtual machine's own, in tests. */
  readonly metadataService?: string;
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Tokens of a managed identity, which Azure Database for PostgreSQL takes as passwords. They are kept until shortly before their end. */
export function createAzureTokens(params: AzureTokenParams): Required<Credential> {
  const { now, pause = pauseFor } = params;
  let token: Token | null = null;
  let pending: Promise<Token> | null = null;

  /** Connections that are made at the same time wait for one answer. */
  function renew(): Promise<Token> {
    pending ??= withinTime(LIMIT_MS, undefined, ask).finally(() => (pending = null));
    return pending;
  }

  async function ask(signal: AbortSignal): Promise<Token> {
    for (const ms of PAUSES_MS) {
      const given = await askOnce(signal);
      if (given !== 'later') return given;
      await pause(ms, signal);
    }
    const last = await askOnce(signal);
    if (last !== 'later') return last;
    throw new Error('The managed identity has no token just now: its service is busy or updating');
  }

  async function askOnce(signal: AbortSignal): Promise<Token | 'later'> {
    const { url, headers } = requestOf(params);
    const { status, text } = await sendOnce(
      url,
      { peer, method: 'GET', headers, ms: LIMIT_MS, signal },
      async (answered) => ({ status: answered.status, text: await answered.text(LARGEST) }),
    );
    if (isTransient(status)) return 'later';
    if (status !== 200) throw new Error(refusalOf(status, text));
    const given = answer.safeParse(jsonOf(text));
    // What came instead may hold a token all the same: it is not repeated.
    if (!given.success) throw new Error('The managed identity gave something that is no token');
    return { value: given.data.access_token, endsAt: given.data.expires_on * 1_000 };
  }

  return {
    async password() {
      const known = token;
      if (known !== null && now() < known.endsAt - RENEW_BEFORE_MS) return known.value;
      try {
        token = await renew();
      } catch (error) {
        if (known === null || now() >= known.endsAt) throw inWords(error);
        return known.value;
      }
      return token.value;
    },
    refused() {
      token = null;
    },
  };
}

function requestOf({ endpoint, clientId, resource, metadataService }: AzureTokenParams): {
  url: URL;
  headers: Record<string, string>;
} {
  const url = new URL(endpoint?.url ?? metadataService ?? METADATA_SERVICE);
  url.searchParams.set('api-version', endpoint === null ? METADATA_VERSION : ENDPOINT_VERSION);
  url.searchParams.set('resource', resource);
  if (clientId !== null) url.searchParams.set('client_id', clientId);
  const headers: Record<string, string> =
    endpoint === null ? { metadata: 'true' } : { 'x-identity-header': endpoint.header };
  return { url, headers };
}

/** The metadata service is updating (404, 410), throttles (429) or had a temporary fault. */
function isTransient(status: number): boolean {
  return status === 404 || status === 410 || status === 429 || status >= 500;
}

/** `error` is one of a few words; `error_description` may change at any time, and may hold anything. */
function refusalOf(status: number, text: string): string {
  const { data } = z.object({ error: z.string().max(100) }).safeParse(jsonOf(text));
  const why = data === undefined ? '' : ` (${data.error})`;
  return `The managed identity was refused with ${status}${why}: is it assigned to this app, and AZURE_CLIENT_ID that of a user-assigned one?`;
}

function inWords(error: unknown): unknown {
  if (!(error instanceof HttpError)) return error;
  return new Error(`The managed identity cannot be asked: ${error.message}`, { cause: error });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal });
}

/** As the variables of the server say it, which App Service and Container Apps set. */
export function azureIdentityOf(values: Readonly<Record<string, unknown>>): AzureIdentity {
  const { IDENTITY_ENDPOINT: url, IDENTITY_HEADER: header, AZURE_CLIENT_ID: clientId } = values;
  return {
    endpoint: typeof url === 'string' && typeof header === 'string' ? { url, header } : null,
    clientId: typeof clientId === 'string' ? clientId : null,
  };
}
