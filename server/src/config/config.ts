import type { PoolConfig } from '@millrace/engine';
import { type Environment, environment } from './environment.ts';
import { nearest } from '@millrace/api';
import type { TelemetryConfig } from '../telemetry/telemetry.ts';
import { isLoopbackHost } from '../webhook/address.ts';
import type { AllowedHost } from '../webhook/url.ts';

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataFolder: string;
  readonly databaseUrl: string | null;
  readonly jobsFolder: string;
  /** Someone named the folder, so it has to be there. */
  readonly jobsFolderNamed: boolean;
  readonly role: 'all' | 'api' | 'worker';
  readonly pools: readonly PoolConfig[];
  readonly leaseMs: number;
  readonly shutdownGraceMs: number;
  readonly webhook: { readonly secret: Buffer | null; readonly allow: readonly AllowedHost[] };
  readonly identity: IdentityConfig;
  /** Null: this process makes no documents. */
  readonly documents: DocumentsConfig | null;
  /** Requests a minute of one caller. */
  readonly rateLimit: number;
  readonly telemetry: Pick<
    TelemetryConfig,
    'enabled' | 'azureConnectionString' | 'otlpEndpoint' | 'tracesPerSecond'
  >;
  /** Where /metrics is served without a token; null: nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  readonly logLevel: Environment['LOG_LEVEL'];
  readonly production: boolean;
  /** What must never be seen in a log line. */
  readonly secrets: readonly string[];
}

export interface DocumentsConfig {
  readonly officePath: string | undefined;
  readonly timeoutMs: number;
  readonly workdir: string;
  readonly slots: number | undefined;
  readonly imageHosts: readonly string[];
}

/** How people and programs show who they are. */
export type IdentityConfig =
  | {
      readonly mode: 'issuer';
      readonly issuers: readonly string[];
      readonly audiences: readonly string[];
      readonly jwksUri: string;
      readonly clientId: string | null;
    }
  /** An issuer of our own, on this machine alone. */
  | { readonly mode: 'sandbox' }
  | { readonly mode: 'bypass' };

/** Everything that is wrong, at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? 'a setting is' : `${problems.length} settings are`;
    super(
      `Millrace cannot start: ${count} wrong.\n${problems.map((line) => `  ${line}`).join('\n')}\nEvery setting is described in docs/configuration.md.`,
    );
    this.problems = problems;
  }
}

export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  // Compose files and shells give empty values to what was never set.
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const parsed = environment.safeParse(given);
  const problems = [
    ...unknownSettings(Object.keys(given)),
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`),
    ...(parsed.success ? contradictions(parsed.data, given) : []),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return configOf(parsed.data, given);
}

type Given = Readonly<Record<string, string | undefined>>;

function configOf(values: Environment, given: Given): Config {
  const databaseUrl = values.DATABASE_URL ?? null;
  return {
    host: values.HOST,
    port: values.PORT,
    dataFolder: values.MILLRACE_DATA,
    databaseUrl,
    jobsFolder: values.MILLRACE_JOBS,
    jobsFolderNamed: given['MILLRACE_JOBS'] !== undefined,
    role: values.MILLRACE_ROLE,
    pools: [
      {
        name: 'default',
        concurrency: values.MILLRACE_CONCURRENCY,
        batch: values.MILLRACE_BATCH,
        interval: { active: values.MILLRACE_POLL_ACTIVE, idle: values.MILLRACE_POLL_IDLE },
      },
      ...(values.MILLRACE_POOLS as readonly PoolConfig[]),
    ],
    leaseMs: values.MILLRACE_LEASE,
    shutdownGraceMs: values.MILLRACE_SHUTDOWN_GRACE,
    webhook: {
      secret: values.MILLRACE_WEBHOOK_SECRET ?? null,
      allow: values.MILLRACE_WEBHOOK_ALLOW,
    },
    identity: identityOf(values),
    documents: values.MILLRACE_DOCUMENTS
      ? {
          officePath: values.MILLRACE_OFFICE_PATH,
          timeoutMs: values.CONVERSION_TIMEOUT_MS ?? values.CONVERSION_TIMEOUT,
          workdir: values.CONVERSION_WORKDIR,
          slots: values.CONVERSION_MAX_CONCURRENT,
          imageHosts: values.IMAGE_ALLOWLIST,
        }
      : null,
    rateLimit: values.MILLRACE_RATE_LIMIT,
    telemetry: {
      enabled: values.ENABLE_TELEMETRY,
      azureConnectionString: values.AZURE_MONITOR_CONNECTION_STRING ?? null,
      otlpEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
      tracesPerSecond: values.MILLRACE_TRACES_PER_SECOND,
    },
    metrics:
      values.MILLRACE_METRICS_PORT === undefined
        ? null
        : { host: values.MILLRACE_METRICS_HOST, port: values.MILLRACE_METRICS_PORT },
    logLevel: values.LOG_LEVEL,
    production: values.NODE_ENV === 'production',
    secrets: [
      given['MILLRACE_WEBHOOK_SECRET'],
      given['AZURE_MONITOR_CONNECTION_STRING'],
      databaseUrl,
      ...passwordsOf(databaseUrl),
    ].flatMap((secret) => secret || []),
  };
}

function identityOf(values: Environment): IdentityConfig {
  const { ISSUER: issuers, AUDIENCE: audiences, JWKS_URI: jwksUri } = values;
  if (issuers !== undefined && audiences !== undefined && jwksUri !== undefined) {
    const clientId = values.MILLRACE_CLIENT_ID ?? null;
    return { mode: 'issuer', issuers, audiences, jwksUri, clientId };
  }
  return { mode: values.AUTH_BYPASS_DEVELOPMENT ? 'bypass' : 'sandbox' };
}

/** What is wrong only together. */
function contradictions(values: Environment, given: Given): string[] {
  const problems = identityContradictions(values, given);
  if (values.MILLRACE_ROLE !== 'all' && values.DATABASE_URL === undefined) {
    problems.push(
      `MILLRACE_ROLE: "${values.MILLRACE_ROLE}" needs DATABASE_URL, since the embedded database belongs to one process.`,
    );
  }
  const names = ['default', ...values.MILLRACE_POOLS.map(({ name }) => name)];
  for (const name of new Set(names.filter((each, index) => names.indexOf(each) !== index))) {
    problems.push(`MILLRACE_POOLS: two pools are called "${name}".`);
  }
  return problems;
}

function identityContradictions(values: Environment, given: Given): string[] {
  const names = ['ISSUER', 'AUDIENCE', 'JWKS_URI'] as const;
  const missing = names.filter((name) => values[name] === undefined);
  if (missing.length > 0 && missing.length < names.length) {
    return missing.map((name) => `${name}: is missing. ${names.join(', ')} go together.`);
  }
  const problems: string[] = [];
  if (values.AUTH_BYPASS_DEVELOPMENT && missing.length === 0) {
    problems.push('AUTH_BYPASS_DEVELOPMENT: contradicts ISSUER. Leave one of them out.');
  } else if (values.AUTH_BYPASS_DEVELOPMENT && given['NODE_ENV'] !== 'development') {
    problems.push('AUTH_BYPASS_DEVELOPMENT: works only with NODE_ENV=development beside it.');
  }
  if (missing.length === 0) return problems;
  if (values.NODE_ENV === 'production') {
    problems.push('ISSUER, AUDIENCE, JWKS_URI: production needs them, to know who asks.');
  } else if (!isLoopbackHost(values.HOST)) {
    problems.push(
      `HOST: "${values.HOST}" can be reached from other machines, so ISSUER, AUDIENCE and JWKS_URI are needed to know who asks. Without them, use 127.0.0.1.`,
    );
  }
  return problems;
}

/** Of the command line. They may well be set in the shell that starts a server. */
const OF_OTHERS = ['MILLRACE_URL', 'MILLRACE_TOKEN', 'MILLRACE_CLIENT_SECRET'];

function unknownSettings(names: readonly string[]): string[] {
  const known = Object.keys(environment.shape);
  return names
    .filter((name) => name.startsWith('MILLRACE_'))
    .filter((name) => !known.includes(name) && !OF_OTHERS.includes(name))
    .map((name) => {
      const meant = nearest(name, known);
      return `${name}: there is no such setting.${meant === null ? '' : ` Did you mean ${meant}?`}`;
    });
}

/** As it stands in the URL, and as drivers show it. */
function passwordsOf(url: string | null): string[] {
  const { password } = url === null ? { password: '' } : new URL(url);
  if (password === '') return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
