import { MarketingCloudError, invalid } from '../errors.ts';

/** Where Marketing Cloud is. A token goes nowhere else. */
const DOMAIN = '.marketingcloudapis.com';

/** authUrl as a base that paths are put behind. Credentials are sent there, so plain http is for this machine only. */
export function authBase(authUrl: string): URL {
  const url = parse(authUrl);
  if (url === null) {
    throw invalid(
      'invalid_config',
      'authUrl is not a URL. Use https://SUBDOMAIN.auth.marketingcloudapis.com.',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('invalid_config', 'authUrl must not hold a user or a password.');
  }
  if (!isSafe(url)) {
    throw invalid('invalid_config', 'authUrl must begin with https://, except on this machine.');
  }
  // Setup shows the base, the documents the whole address of a token request: people paste either.
  return baseOf(url, url.pathname.replace(/\/v2\/token\/?$/, ''));
}

/**
 * The base that the token's answer names. It must be Marketing Cloud's, or the host that gave the token: an answer that someone
 * has tampered with must not send the token elsewhere.
 */
export function instanceBase(field: string, value: unknown, auth: URL): URL {
  const url = typeof value === 'string' ? parse(value) : null;
  if (url !== null && isSafe(url) && isTrusted(url, auth)) return baseOf(url, url.pathname);
  throw new MarketingCloudError(
    `The token's answer names a ${field} that is not Marketing Cloud's${url === null ? '' : ` (${url.hostname.slice(0, 100)})`}. The token was not used.`,
    { code: 'untrusted_instance', kind: 'session', outcome: 'notSent', retryable: false },
  );
}

function baseOf(url: URL, path: string): URL {
  return new URL(`${url.origin}${path.replace(/\/+$/, '')}/`);
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

function isTrusted(url: URL, auth: URL): boolean {
  if (isLoopback(auth.hostname)) return isLoopback(url.hostname);
  if (url.origin === auth.origin) return true;
  return url.protocol === 'https:' && url.port === '' && url.hostname.endsWith(DOMAIN);
}

function parse(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
