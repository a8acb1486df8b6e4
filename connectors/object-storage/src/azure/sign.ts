import { createHmac } from 'node:crypto';
import type { Signer, Unsigned } from '../calls/call.ts';
import type { BlobCredentials } from './types.ts';

/** The oldest one that has all that is used here, so that Azurite and Azure Stack know it too. */
const VERSION = '2021-12-02';

/** With the key of the account, or with a token of Entra ID: a managed identity's, say. */
export function blobSigner(credentials: BlobCredentials): () => Promise<Signer> {
  if ('token' in credentials)
    return async () => {
      const token = await credentials.token();
      return {
        headers: async (request, now) => ({
          ...common(request, now),
          authorization: `Bearer ${token}`,
        }),
        secrets: [token],
      };
    };
  const { account, key } = credentials;
  const signer: Signer = {
    async headers(request, now) {
      const headers = common(request, now);
      const signature = createHmac('sha256', Buffer.from(key, 'base64'))
        .update(textToSign(account, request, headers))
        .digest('base64');
      return { ...headers, authorization: `SharedKey ${account}:${signature}` };
    },
    secrets: [key],
  };
  return async () => signer;
}

function common({ headers }: Unsigned, now: number): Record<string, string> {
  return { ...headers, 'x-ms-date': new Date(now).toUTCString(), 'x-ms-version': VERSION };
}

/** https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key#constructing-the-signature-string */
function textToSign(
  account: string,
  { method, url, body }: Unsigned,
  headers: Readonly<Record<string, string>>,
): string {
  const size = body.reduce((sum, bytes) => sum + bytes.length, 0);
  const of = (name: string): string => headers[name] ?? '';
  const own = Object.keys(headers)
    .filter((name) => name.startsWith('x-ms-'))
    .toSorted()
    .map((name) => `${name}:${of(name)}`);
  const { pathname, searchParams } = new URL(url);
  const query = [...searchParams]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}:${value}`);
  return [
    method,
    of('content-encoding'),
    of('content-language'),
    size === 0 ? '' : String(size),
    of('content-md5'),
    of('content-type'),
    '', // Date: x-ms-date stands for it
    of('if-modified-since'),
    of('if-match'),
    of('if-none-match'),
    of('if-unmodified-since'),
    of('range'),
    ...own,
    [`/${account}${pathname}`, ...query].join('\n'),
  ].join('\n');
}
