import { describe, expect, test } from 'vitest';
import { type AllowedHost, checkUrl, parseAllowedHost } from './url.ts';

function allow(...texts: string[]): AllowedHost[] {
  return texts.map((text) => {
    const host = parseAllowedHost(text);
    if (host === null) throw new Error(`not a host: ${text}`);
    return host;
  });
}

describe('a webhook URL', () => {
  test.each([
    'https://example.com/hook?token=1',
    'https://EXAMPLE.com:8443',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
  ])('%s is taken', (url) => expect(checkUrl(url, [])).toMatchObject({ ok: true, exempt: false }));

  test.each([
    'http://example.com',
    'ftp://example.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user:pass@example.com',
    'https://user@example.com',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[fd00::1]/',
    'https://１２７.０.０.１/',
    'https://',
    'example.com',
    '',
  ])('%s is refused', (url) => expect(checkUrl(url, [])).toMatchObject({ ok: false }));

  test('of an allowed host may be plain HTTP and private, on its port', () => {
    const hosts = allow('localhost:8080', 'intranet', '[::1]:9000', '10.0.0.5', 'shop.example:80');
    const exempt = (url: string) => checkUrl(url, hosts);
    expect(exempt('http://localhost:8080/a')).toMatchObject({ ok: true, exempt: true });
    expect(exempt('http://LOCALHOST:8080/a')).toMatchObject({ ok: true, exempt: true });
    expect(exempt('http://localhost:8081/a')).toMatchObject({ ok: false });
    expect(exempt('http://intranet:1234/a')).toMatchObject({ ok: true, exempt: true });
    expect(exempt('http://[::1]:9000/')).toMatchObject({ ok: true, exempt: true });
    expect(exempt('https://10.0.0.5/')).toMatchObject({ ok: true, exempt: true });
    expect(exempt('http://shop.example/')).toMatchObject({ ok: true, exempt: true });
    expect(exempt('https://shop.example/')).toMatchObject({ ok: true, exempt: false });
    expect(exempt('http://evil-intranet/')).toMatchObject({ ok: false });
    expect(exempt('http://intranet.evil.example/')).toMatchObject({ ok: false });
    expect(exempt('http://user:pass@intranet/')).toMatchObject({ ok: false });
  });

  test.each([
    'http://host',
    'host/path',
    'user@host',
    'ho st',
    ':80',
    'host:',
    'host:x',
    '[::1',
    '*',
  ])('%j is not an allowed host, apart from names that merely match nothing', (text) =>
    expect(parseAllowedHost(text)).toSatisfy((host) => host === null || text === '*'),
  );
});
