import { isIP } from 'node:net';
import { isPublicAddress } from './address.ts';

/** A host that the operator trusts with plain HTTP and private addresses. */
export interface AllowedHost {
  readonly host: string;
  /** Null: any port. */
  readonly port: number | null;
}

export type CheckedUrl =
  | { readonly ok: true; readonly url: URL; readonly exempt: boolean }
  | { readonly ok: false; readonly why: string };

/** Checks without network access; the addresses behind a name are checked on delivery. */
export function checkUrl(text: string, allow: readonly AllowedHost[]): CheckedUrl {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return refused('The webhook is not a valid URL.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refused(`The webhook must begin with https://, not ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    return refused('The webhook must not hold a user name or password.');
  }
  const exempt = allow.some((entry) => matches(url, entry));
  if (!exempt && url.protocol !== 'https:') {
    return refused(
      `The webhook must begin with https://. The operator can allow plain HTTP to "${url.hostname}" with MILLRACE_WEBHOOK_ALLOW.`,
    );
  }
  // A literal address never passes through a lookup, so it is checked here.
  const literal = bare(url.hostname);
  if (!exempt && isIP(literal) !== 0 && !isPublicAddress(literal)) {
    return refused(
      `The webhook's address ${url.hostname} is not on the public internet. The operator can allow it with MILLRACE_WEBHOOK_ALLOW.`,
    );
  }
  return { ok: true, url, exempt };
}

export function parseAllowedHost(text: string): AllowedHost | null {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[^\s:/@?#[\]]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (host === undefined || !URL.canParse(`http://${host}`)) return null;
  // The same spelling that URL gives: lower case, punycode, shortened addresses.
  return {
    host: new URL(`http://${host}`).hostname,
    port: port === undefined ? null : Number(port),
  };
}

function matches(url: URL, { host, port }: AllowedHost): boolean {
  const own = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return url.hostname === host && (port === null || port === own);
}

/** An IPv6 address without the brackets that URLs put around it. */
export function bare(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

function refused(why: string): CheckedUrl {
  return { ok: false, why };
}
