import { isLoopbackName, parseUrl } from '@millrace/simulator-kit';

/** Where programs on this machine wait for their code: plain HTTP, any port, any path (RFC 8252, 7.3). */
export function isLoopbackRedirect(text: string): boolean {
  const url = parseUrl(text);
  return (
    url !== null && url.protocol === 'http:' && isLoopbackName(url.hostname) && isPlain(url, text)
  );
}

/** What may be registered: https, or http on loopback. */
export function mayBeRegistered(text: string): boolean {
  const url = parseUrl(text);
  if (url === null || !isPlain(url, text)) return false;
  return url.protocol === 'https:' || isLoopbackRedirect(text);
}

/** A redirect may carry neither a user name, which would disguise its host, nor a fragment. */
function isPlain(url: URL, text: string): boolean {
  return url.username === '' && url.password === '' && !text.includes('#');
}
