import type { HttpError, Peer } from './errors.ts';

/** The address in a setting. Credentials are sent there, so plain http is for this machine, unless a setting allows it. */
export function addressIn(
  setting: string,
  text: string,
  params: {
    readonly peer: Peer;
    readonly example: string;
    readonly plainHttp?: boolean;
  },
): URL {
  const { peer, example, plainHttp } = params;
  const refuse = (what: string): HttpError => peer.invalid('invalid_config', `${setting} ${what}`);
  const url = parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw refuse(`is not a URL. Use ${example}.`);
  if (url.username !== '' || url.password !== '')
    throw refuse('must not hold a user or a password.');
  if (isSafe(url) || plainHttp === true) return url;
  const orAllowed = plainHttp === undefined ? '' : ' or where plain http is allowed by a setting';
  throw refuse(`must begin with https://, except on this machine${orAllowed}.`);
}

/**
 * An address that an answer names, where a token may go: below `domains`, or at the host that gave the token. An answer that
 * someone has tampered with must not send the token elsewhere.
 */
export function trustedAddress(
  named: unknown,
  home: URL,
  domains: readonly string[],
): { readonly url: URL } | { readonly url: null; readonly host: string } {
  const url = typeof named === 'string' ? parse(named) : null;
  if (url !== null && isSafe(url) && isTrusted(url, home, domains)) return { url };
  return { url: null, host: url === null ? '' : ` (${url.hostname.slice(0, 100)})` };
}

function isTrusted(url: URL, home: URL, domains: readonly string[]): boolean {
  if (isLoopback(home.hostname)) return isLoopback(url.hostname);
  if (url.protocol !== 'https:') return false;
  if (url.origin === home.origin) return true;
  return url.port === '' && domains.some((domain) => url.hostname.endsWith(domain));
}

function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function parse(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
