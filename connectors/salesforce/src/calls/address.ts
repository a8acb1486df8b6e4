import { addressIn, trustedAddress } from '@millrace/http';
import { SalesforceError, peer } from '../errors.ts';

/** Where the org is. A token goes nowhere else. */
const SALESFORCE_DOMAINS = ['.salesforce.com', '.salesforce.mil', '.sfcrmproducts.cn'];

/** The origin of loginUrl. */
export function loginOrigin(loginUrl: string): URL {
  const example = 'https://<my domain>.my.salesforce.com';
  return new URL(addressIn('loginUrl', loginUrl, { peer, example }).origin);
}

/** The origin that the token's answer names: Salesforce's, or the host we logged in at. */
export function instanceOrigin(instanceUrl: unknown, login: URL): string {
  const named = trustedAddress(instanceUrl, login, SALESFORCE_DOMAINS);
  if (named.url !== null) return named.url.origin;
  throw new SalesforceError(
    `The token's answer names an instance_url that is not Salesforce's${named.host}. The token was not used.`,
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
    throw peer.invalid(
      'invalid_path',
      'A path holds characters that must be encoded first (encodeURIComponent).',
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
