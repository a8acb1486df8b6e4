import { SalesforceError } from '../errors.ts';

/** Where the org is. A token goes nowhere else. */
const SALESFORCE_DOMAINS = ['.salesforce.com', '.salesforce.mil', '.sfcrmproducts.cn'];

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** The origin of loginUrl. Credentials are sent there, so plain http is for this machine only. */
export function loginOrigin(loginUrl: string): URL {
  const url = parse(loginUrl);
  if (url === null)
    throw invalid('loginUrl is not a URL. Use https://<my domain>.my.salesforce.com.');
  if (url.username !== '' || url.password !== '') {
    throw invalid('loginUrl must not hold a user or a password.');
  }
  if (!isSafe(url)) throw invalid('loginUrl must begin with https://, except on this machine.');
  return new URL(url.origin);
}

/**
 * The origin that the token's answer names. It must be Salesforce's, or the host we logged in at: an answer that
 * someone has tampered with must not send the token elsewhere.
 */
export function instanceOrigin(instanceUrl: unknown, login: URL): string {
  const url = typeof instanceUrl === 'string' ? parse(instanceUrl) : null;
  if (url !== null && isSafe(url) && isTrusted(url, login)) return url.origin;
  throw new SalesforceError(
    `The token's answer names an instance_url that is not Salesforce's${url === null ? '' : ` (${url.hostname.slice(0, 100)})`}. The token was not used.`,
    { code: 'untrusted_instance', kind: 'session', outcome: 'notSent', retryable: false },
  );
}

/** `aud` of the assertion: Salesforce's login host, not the org's own. */
export function defaultAudience(login: URL): string {
  const host = login.hostname;
  if (host === 'test.salesforce.com' || host.endsWith('.sandbox.my.salesforce.com')) {
    return 'https://test.salesforce.com';
  }
  return host.endsWith('.salesforce.com') ? 'https://login.salesforce.com' : login.origin;
}

/** `path` as in RequestParams, absolute. It stays on the org's origin. */
export function absolutePath(path: string, apiVersion: string): string {
  const full = path.startsWith('/') ? path : `/services/data/v${apiVersion}/${path}`;
  // Spaces and control characters would end the request line; `//` would be read as another host.
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(full) || full.includes('#')) {
    throw new SalesforceError(
      'A path holds characters that must be encoded first (encodeURIComponent).',
      { code: 'invalid_path', kind: 'data', outcome: 'notSent' },
    );
  }
  return full;
}

/** Segments that name a thing and not a record. Others of a record's path are ids or external ids. */
const SUBRESOURCES = new Set(['describe', 'VersionData', 'deleted', 'updated']);

/** A path as a name with few values: no ids, no query. */
export function routeOf(path: string): string {
  const [plain = ''] = path.split('?');
  const parts = plain.replace(/^\/services\/(data\/v[\d.]+\/?)?/, '').split('/');
  const [first = '', second, ...rest] = parts;
  if (first === 'sobjects' && second !== undefined && second !== '') {
    const last = rest.at(-1);
    const tail = last !== undefined && SUBRESOURCES.has(last) ? `/${last}` : '';
    return `sobjects/${second}${tail}`;
  }
  if (first === 'query') return 'query';
  const named = parts.filter((part) => /^[A-Za-z_][\w.]{0,39}$/.test(part) && !looksLikeId(part));
  return named.slice(0, 6).join('/') || '/';
}

/** Apart from words of 15 or 18 letters, which have no digit. */
function looksLikeId(part: string): boolean {
  return /^[a-zA-Z0-9]{15}([a-zA-Z0-9]{3})?$/.test(part) && /\d/.test(part);
}

function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

function isTrusted(url: URL, login: URL): boolean {
  if (isLoopback(login.hostname)) return isLoopback(url.hostname);
  if (url.protocol !== 'https:') return false;
  if (url.origin === login.origin) return true;
  return url.port === '' && SALESFORCE_DOMAINS.some((domain) => url.hostname.endsWith(domain));
}

function parse(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function invalid(message: string): SalesforceError {
  return new SalesforceError(message, { code: 'invalid_config', kind: 'data', outcome: 'notSent' });
}
