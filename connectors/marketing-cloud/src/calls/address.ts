import { addressIn, trustedAddress } from '@millrace/http';
import { MarketingCloudError, peer } from '../errors.ts';

/** Where Marketing Cloud is. A token goes nowhere else. */
const DOMAINS = ['.marketingcloudapis.com'];

/** authUrl as a base that paths are put behind. */
export function authBase(authUrl: string): URL {
  const example = 'https://SUBDOMAIN.auth.marketingcloudapis.com';
  const url = addressIn('authUrl', authUrl, { peer, example });
  // Setup shows the base, the documents the whole address of a token request: people paste either.
  return baseOf(url, url.pathname.replace(/\/v2\/token\/?$/, ''));
}

/** The base that the token's answer names: Marketing Cloud's, or the host that gave the token. */
export function instanceBase(field: string, value: unknown, auth: URL): URL {
  const named = trustedAddress(value, auth, DOMAINS);
  if (named.url !== null) return baseOf(named.url, named.url.pathname);
  throw new MarketingCloudError(
    `The token's answer names a ${field} that is not Marketing Cloud's${named.host}. The token was not used.`,
    { code: 'untrusted_instance', kind: 'session', outcome: 'notSent', retryable: false },
  );
}

function baseOf(url: URL, path: string): URL {
  return new URL(`${url.origin}${path.replace(/\/+$/, '')}/`);
}
