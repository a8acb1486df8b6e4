/** Whether a host name, as URLs and Host headers spell it, means this machine and nothing else. */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** `::1` needs brackets in a URL; names and IPv4 addresses do not. */
export function inUrl(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** The page that sent an Origin header lives on this machine. `null` and what is no origin do not. */
export function isLoopbackOrigin(origin: string): boolean {
  const url = parseUrl(origin);
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.origin === origin &&
    isLoopbackName(url.hostname)
  );
}

/** An address that a connection comes from. */
export function isLoopbackAddress(address: string | undefined): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address ?? '');
}

export function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
