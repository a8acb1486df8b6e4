/**
 * The document poller of old on Salesforce, in the small: it knows its twelve fields and nothing of leases. The document itself is left
 * out, since the record is the same whatever made it.
 */

export interface OldOrg {
  readonly url: string;
  readonly token: string;
}

interface Waiting {
  readonly Id: string;
  readonly RequestJSON__c: string;
  readonly Attempts__c: number | null;
}

const LOCK_TTL_MS = 120_000;
const WAITING = `
SELECT Id, Status__c, RequestJSON__c, Attempts__c, CorrelationId__c, Template__c, RequestHash__c, CreatedDate
  FROM Generated_Document__c
 WHERE Status__c = 'QUEUED' AND (LockedUntil__c < NOW_MOMENT OR LockedUntil__c = NULL)
 ORDER BY Priority__c DESC NULLS LAST, CreatedDate ASC`;

/** One cycle over `batch` records. `make` gives the id of the file, or null where its process ends before it is done. */
export async function pollOnce(
  org: OldOrg,
  batch: number,
  make: (request: unknown) => string | null,
): Promise<void> {
  const soql = WAITING.replace('NOW_MOMENT', `${new Date().toISOString().slice(0, 19)}Z`);
  const path = `query?q=${encodeURIComponent(`${soql} LIMIT ${batch}`)}`;
  const { records } = (await ask(org, 'GET', path)) as { records: Waiting[] };
  for (const { Id, RequestJSON__c, Attempts__c } of records) {
    const LockedUntil__c = new Date(Date.now() + LOCK_TTL_MS).toISOString();
    await patch(org, Id, { Status__c: 'PROCESSING', LockedUntil__c });
    try {
      const OutputFileId__c = make(JSON.parse(RequestJSON__c));
      if (OutputFileId__c === null) return;
      await patch(org, Id, { Status__c: 'SUCCEEDED', OutputFileId__c, LockedUntil__c: null });
    } catch (error) {
      await patch(org, Id, {
        Status__c: 'QUEUED',
        Attempts__c: (Attempts__c ?? 0) + 1,
        ScheduledRetryTime__c: new Date(Date.now() + 60_000).toISOString(),
        Error__c: String(error),
        LockedUntil__c: null,
      });
    }
  }
}

export async function signIn(url: string, clientId: string, secret: string): Promise<OldOrg> {
  const response = await fetch(`${url}/services/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: secret,
    }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return { url, token };
}

const patch = (org: OldOrg, id: string, fields: object) =>
  ask(org, 'PATCH', `sobjects/Generated_Document__c/${id}`, fields);

async function ask({ url, token }: OldOrg, method: string, path: string, body?: object) {
  const response = await fetch(`${url}/services/data/v59.0/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? null : (JSON.parse(text) as unknown);
}
