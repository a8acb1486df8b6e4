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
  return url !== null && isWeb(url) && url.origin === origin && isLoopbackName(url.hostname);
}

/** Where programs on this machine wait for their code: plain HTTP, any port, any path (RFC 8252, 7.3). */
export function isLoopbackRedirect(text: string): boolean {
  const url = parseUrl(text);
  return (
    url !== null && url.protocol === 'http:' && isLoopbackName(url.hostname) && isPlain(url, text)
  );
}

/** A redirect may carry neither a user name, which would disguise its host, nor a fragment. */
export function isPlain(url: URL, text: string): boolean {
  return url.username === '' && url.password === '' && !text.includes('#');
}

export function isWeb(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

export function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
