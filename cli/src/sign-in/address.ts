/** Where a secret may go: encrypted, or not leaving this machine. */
export function isSafeAddress(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

/** As URLs spell it: an IPv6 address has brackets. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

export function parseAddress(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

/** One spelling for each server, so that a sign-in is found again and never taken for another's. */
export function serverKey(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/+$/, '');
}
