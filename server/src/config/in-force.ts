import type { SettingInForce } from '@millrace/api';
import { workloads } from '@millrace/workloads';
import { environment } from './environment.ts';

type Given = Readonly<Record<string, string | undefined>>;

/** Names whose values nobody is shown, also where they are not set. The path of a file with one is no secret. */
const SECRET_NAME =
  /(SECRET|PASSWORD|TOKEN|TOKEN_KEYS|PASSWORD_KEYS|PRIVATE_KEY|API_KEY|CONNECTION_STRING|IDENTITY_HEADER)$/;
/** Members of a JSON value. */
const SECRET_MEMBER = /secret|password|key|token/i;
/** A secret of one letter would hide everything. */
const SHORTEST_SECRET = 4;

/** Every setting with the value that counts, for people who operate it: no secret, no credentials in a URL. */
export function settingsInForce(
  given: Given,
  secrets: readonly string[],
  inFile: ReadonlySet<string>,
): SettingInForce[] {
  const hidden = secrets.filter(({ length }) => length >= SHORTEST_SECRET);
  return Object.entries(environment.shape).map(([name, schema]) => {
    const { fallback, description } = schema.meta() as {
      fallback: string | null;
      description: string;
    };
    const own = given[name];
    const shown = shownOf(name, own ?? fallback, hidden);
    return {
      name,
      value: shown.value,
      isSecret: shown.isSecret,
      default: fallback,
      source: own === undefined ? 'default' : inFile.has(name) ? 'file' : 'environment',
      description,
      group: groupOf(name),
    };
  });
}

/** A password in a URL counts, too, and so do a key and a secret inside of JSON. */
export function holdsSecret(name: string, value: string): boolean {
  return (
    SECRET_NAME.test(name) ||
    /:\/\/[^\s/@]*:[^\s/@]+@/.test(value) ||
    value.includes('PRIVATE KEY') ||
    withoutSecretMembers(value).includes('"set"')
  );
}

function shownOf(
  name: string,
  value: string | null,
  hidden: readonly string[],
): { value: string | null; isSecret: boolean } {
  if (SECRET_NAME.test(name)) return { value: value === null ? 'not set' : 'set', isSecret: true };
  if (value === null) return { value: null, isSecret: false };
  const clean = withoutCredentials(withoutSecretMembers(value));
  // Whatever else holds one is hidden whole.
  const isSecret = hidden.some((secret) => clean.includes(secret)) || clean.includes('PRIVATE KEY');
  return { value: isSecret ? 'set' : clean, isSecret };
}

/** Also of URLs within a list: user, password and whatever is asked for behind a question mark. */
function withoutCredentials(value: string): string {
  return value.replaceAll(/[a-z][a-z0-9+.-]*:\/\/[^\s,"]+/gi, (url) => {
    if (!URL.canParse(url)) return 'set';
    const { protocol, host, pathname } = new URL(url);
    return `${protocol}//${host}${pathname === '/' && !url.endsWith('/') ? '' : pathname}`;
  });
}

function withoutSecretMembers(value: string): string {
  if (!/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.stringify(JSON.parse(value), (member, inner: unknown) =>
      SECRET_MEMBER.test(member) && typeof inner === 'string' ? 'set' : inner,
    );
  } catch {
    return 'set';
  }
}

const GROUPS: readonly (readonly [string, RegExp])[] = [
  ['database', /^(DATABASE_|AZURE_CLIENT_ID|IDENTITY_|MILLRACE_DURABLE|MIGRATE)/],
  ['redis', /^REDIS_/],
  ['salesforce', /^(SALESFORCE_|POLLER_)/],
  ['identity', /^(ISSUER|AUDIENCE|JWKS_URI|TENANT_CLAIM|CALLER_CLAIMS|MILLRACE_CLIENT_ID|AUTH_)/],
  ['telemetry', /^(ENABLE_TELEMETRY|MILLRACE_METRICS|AZURE_MONITOR|OTEL_|MILLRACE_TRACES|LOG_)/],
];

function groupOf(name: string): string {
  const workload = workloads.find(({ settings }) => Object.hasOwn(settings.variables, name));
  return workload?.name ?? GROUPS.find(([, pattern]) => pattern.test(name))?.[0] ?? 'service';
}
