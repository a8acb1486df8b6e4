import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import type { Credentials } from '../types.ts';
import type { Signer, Unsigned } from './call.ts';

/**
 * Signs a request with the hash of its body, so that the storage refuses bytes that were changed on the way or in our memory. Of
 * aws4fetch it is the signer alone: its client uses the global fetch, whose time-outs and redirects are not ours.
 */
async function signed(
  request: Unsigned,
  params: {
    readonly credentials: Credentials;
    readonly region: string;
    readonly now: number;
    /** The derived keys, one a day. */
    readonly cache: Map<string, ArrayBuffer>;
  },
): Promise<Record<string, string>> {
  const { accessKeyId, secretAccessKey, sessionToken } = params.credentials;
  const signer = new AwsV4Signer({
    method: request.method,
    url: request.url,
    headers: { ...request.headers, 'x-amz-content-sha256': sha256(request.body) },
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    service: 's3',
    region: params.region,
    cache: params.cache,
    datetime: new Date(params.now).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
  });
  const { headers } = await signer.sign();
  return Object.fromEntries(headers);
}

/** The credentials are asked for each request: a file that is rotated is read again. */
export function s3Signer(
  credentials: () => Credentials | Promise<Credentials>,
  region: string,
): () => Promise<Signer> {
  const cache = new Map<string, ArrayBuffer>();
  return async () => {
    const given = await credentials();
    return {
      headers: (request, now) => signed(request, { credentials: given, region, now, cache }),
      secrets: [given.secretAccessKey, given.sessionToken ?? ''],
    };
  };
}

function sha256(body: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const bytes of body) hash.update(bytes);
  return hash.digest('hex');
}
