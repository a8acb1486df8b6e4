/** More than Salesforce sets (BAYEUX_BROWSER, sfdc-stream and a few of its proxies). */
const MOST_COOKIES = 20;
const LONGEST_COOKIE = 4_096;

/**
 * Takes the cookies of an answer into `jar`. `header` is all Set-Cookie headers, joined by commas; a comma inside one
 * (in Expires) is not followed by a name. Path and domain are not looked at: a jar is for one address alone.
 */
export function readCookies(header: string, jar: Map<string, string>): void {
  for (const cookie of header.split(/,\s*(?=[^;,=\s]+=)/)) {
    const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim());
    const [, name = '', value = ''] = /^([^=\s]+)=([\x21-\x7e]*)$/.exec(pair) ?? [];
    if (name === '' || pair.length > LONGEST_COOKIE) continue;
    const isTakenBack = attributes.some((attribute) => /^max-age=(0|-\d+)$/i.test(attribute));
    if (isTakenBack) jar.delete(name);
    else if (jar.has(name) || jar.size < MOST_COOKIES) jar.set(name, value);
  }
}
