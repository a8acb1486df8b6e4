import { addressIn } from '@millrace/http';
import { invalid, peer } from '../errors.ts';
import type { ObjectStorageConfig } from '../types.ts';

/** Where the objects are. Requests go to this host and to no other. */
export interface Address {
  readonly origin: string;
  /** The path of a key, encoded as it is signed; null: of the bucket. */
  path(key: string | null): string;
  /** With the prefix: as the storage has the key. */
  whole(key: string): string;
  /** Null: not below the prefix. */
  below(whole: string): string | null;
  readonly prefix: string;
}

/** S3's own limit, in bytes. */
const LONGEST_KEY = 1024;

export function addressOf(
  config: Pick<
    ObjectStorageConfig,
    'endpoint' | 'bucket' | 'prefix' | 'addressing' | 'plainHttp'
  > & {
    /** Whether the path of the bucket ends with one. */
    readonly slash?: boolean;
  },
): Address {
  const url = endpointOf(config);
  const bucket = bucketOf(config);
  const prefix = prefixOf(config.prefix ?? '');
  const isHost = config.addressing === 'host';
  const host = isHost ? `${bucket}.${url.host}` : url.host;
  const base = `${url.pathname.replace(/\/+$/, '')}${isHost ? '' : `/${bucket}`}`;

  return {
    origin: `${url.protocol}//${host}`,
    path: (key) =>
      key === null
        ? `${base}${config.slash === false ? '' : '/'}`
        : `${base}/${encodedKey(prefix + checkedKey(key))}`,
    whole: (key) => prefix + checkedKey(key),
    below: (whole) => (whole.startsWith(prefix) ? whole.slice(prefix.length) : null),
    prefix,
  };
}

/** As a signature has it: all but letters, digits, `-._~` and the slashes between the parts. */
export function encodedKey(key: string): string {
  return encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replaceAll(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
}

/** A dot segment would be resolved on the way and name something else. */
function checkedKey(key: string): string {
  const segments = key.split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..'))
    throw invalid(
      'invalid_key',
      'A key has no empty part between slashes, and none of dots alone.',
    );
  if (!key.isWellFormed() || Buffer.byteLength(key) > LONGEST_KEY)
    throw invalid('invalid_key', `A key has at most ${LONGEST_KEY} bytes of well-formed text.`);
  return key;
}

function endpointOf({
  endpoint,
  plainHttp = false,
}: Pick<ObjectStorageConfig, 'endpoint' | 'plainHttp'>): URL {
  const example = 'one such as https://s3.eu-central-1.amazonaws.com';
  const url = addressIn('endpoint', endpoint, { peer, example, plainHttp });
  if (url.search !== '' || url.hash !== '')
    throw invalid('invalid_config', 'endpoint must not have a question mark or a hash sign.');
  return url;
}

function bucketOf({
  bucket,
  addressing,
  endpoint,
}: Pick<ObjectStorageConfig, 'bucket' | 'addressing' | 'endpoint'>): string {
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || bucket.includes('..'))
    throw invalid(
      'invalid_config',
      'bucket must have 3 to 63 lower-case letters, digits, dots and hyphens.',
    );
  if (addressing === 'host' && bucket.includes('.') && endpoint.startsWith('https:'))
    throw invalid(
      'invalid_config',
      'A bucket with a dot in its name fits no certificate as part of the host. Use the addressing "path".',
    );
  return bucket;
}

function prefixOf(prefix: string): string {
  const plain = prefix.replace(/^\/+|\/+$/g, '');
  return plain === '' ? '' : `${checkedKey(plain)}/`;
}
