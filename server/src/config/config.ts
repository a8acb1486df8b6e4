import { homedir } from 'node:os';
import type { PoolConfig } from '@millrace/engine';
import type { SalesforceConfig as ConnectionConfig } from '@millrace/salesforce';
import type { NameOptions } from '@millrace/store-salesforce';
import {
  type DatabaseConfig,
  databaseContradictions,
  databaseOf,
  passwordsOf,
} from './database.ts';
import { type Environment, environment } from './environment.ts';
import type { SettingsFile } from './file.ts';
import { type Given, checkGiven } from './given.ts';
import {
  type IdentityConfig,
  identityContradictions,
  identityOf,
  mayBeSandbox,
} from './identity.ts';
import { holdsSecret, settingsInForce } from './in-force.ts';
import { type RedisConfig, redisContradictions, redisOf } from './redis.ts';
import type { OrgSetting } from './settings.ts';
import { type SettingInForce, runningFolder } from '@millrace/api';
import { workloads } from '@millrace/workloads';
import type { TelemetryConfig } from '../telemetry/telemetry.ts';
import { isLoopbackHost } from '../webhook/address.ts';
import type { AllowedHost } from '../webhook/url.ts';

export interface Config {
  /** The name of this installation; null if it has none. */
  readonly environment: string | null;
  /** Every setting, for operators. */
  readonly settings: readonly SettingInForce[];
  /** The file that some of them stand in; null: there is none. */
  readonly file: { readonly path: string; readonly hasSecrets: boolean } | null;
  /** Where people look into the simulated Marketing Cloud, if there is one. */
  readonly marketingCloudPage: string | null;
  readonly host: string;
  readonly port: number;
  readonly dataFolder: string;
  readonly databaseUrl: string | null;
  readonly database: DatabaseConfig;
  /** Null: all jobs are in the database. */
  readonly redis: RedisConfig | null;
  /** Whether the embedded database syncs each commit to disk. */
  readonly durable: boolean;
  /** Whether a start sets up or updates the schema; else it only looks at it. */
  readonly migrate: boolean;
  /** The retention of the audit log. */
  readonly keepAuditMs: number;
  readonly jobsFolder: string;
  /** Someone named the folder, so it has to be there. */
  readonly jobsFolderNamed: boolean;
  readonly role: 'all' | 'api' | 'worker';
  readonly pools: readonly PoolConfig[];
  readonly leaseMs: number;
  readonly shutdownGraceMs: number;
  readonly webhook: { readonly secret: Buffer | null; readonly allow: readonly AllowedHost[] };
  readonly identity: IdentityConfig;
  /** Names the tenants of a caller; null: tenants are no boundary. */
  readonly tenantClaim: string | null;
  /** Claims that are kept with a caller, for rules about rows. */
  readonly callerClaims: readonly string[];
  /** The settings of each workload by name; disabled ones are missing. */
  readonly workloads: ReadonlyMap<string, unknown>;
  readonly salesforce: SalesforceConfig;
  /** Requests a minute of one caller. */
  readonly rateLimit: number;
  /** Bytes of a request for a document. */
  readonly generateLimit: number;
  readonly streamsPerCaller: number;
  readonly telemetry: Pick<
    TelemetryConfig,
    'enabled' | 'azureConnectionString' | 'otlpEndpoint' | 'tracesPerSecond'
  >;
  /** Where /metrics is served without a token; null: nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  /** Where the command line of this user looks for servers; null: this one is not listed there. */
  readonly runningFolder: string | null;
  readonly logLevel: Environment['LOG_LEVEL'];
  readonly production: boolean;
  /** Values that are masked in log lines. */
  readonly secrets: readonly string[];
}

export interface SalesforceConfig {
  readonly orgs: readonly OrgConfig[];
  /** A simulated org on this machine. */
  readonly sandbox: boolean;
  readonly intervalMs: number;
  readonly idleIntervalMs: number;
  readonly batch: number;
  readonly leaseMs: number;
  readonly retries: number;
}

export interface OrgConfig {
  /** The prefix of its job ids, and the end of its kinds. */
  readonly name: string;
  readonly connection: ConnectionConfig;
  readonly names: NameOptions;
  /** The tenant that its records belong to. */
  readonly tenant: string;
  /** Its requests are emptied when their documents are made. */
  readonly purgeRequests: boolean;
}

/** `file`: where some of the values stand, as `gatherSettings` read it. */
export function readConfig(env: Given, file: SettingsFile | null = null): Config {
  const { values, given } = checkGiven({ env, file, settings: environment, contradictions });
  return configOf(values, given, file);
}

function configOf(values: Environment, given: Given, file: SettingsFile | null): Config {
  const databaseUrl = values.DATABASE_URL ?? null;
  const identity = identityOf(values);
  const secrets = secretsOf(values, given);
  return {
    environment: values.MILLRACE_ENVIRONMENT ?? (identity.mode === 'sandbox' ? 'sandbox' : null),
    settings: settingsInForce(given, secrets, new Set(Object.keys(file?.values ?? {}))),
    file: file && {
      path: file.path,
      hasSecrets: Object.entries(file.values).some(([name, value]) => holdsSecret(name, value)),
    },
    marketingCloudPage: null,
    host: values.HOST,
    port: values.PORT,
    dataFolder: values.MILLRACE_DATA,
    databaseUrl,
    database: databaseOf(values),
    redis: redisOf(values),
    durable: values.MILLRACE_DURABLE,
    migrate: values.MIGRATE === 'on',
    keepAuditMs: values.MILLRACE_KEEP_AUDIT,
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
    identity,
    tenantClaim: values.TENANT_CLAIM ?? null,
    callerClaims: values.CALLER_CLAIMS,
    workloads: new Map(
      workloads.flatMap(({ name, settings }) => {
        const config = settings.read(values);
        return config === null ? [] : [[name, config]];
      }),
    ),
    salesforce: {
      orgs: orgsOf(values),
      sandbox: values.SALESFORCE_SANDBOX,
      intervalMs: values.POLLER_INTERVAL_MS,
      idleIntervalMs: values.POLLER_IDLE_INTERVAL_MS,
      batch: values.POLLER_BATCH_SIZE,
      leaseMs: values.POLLER_LOCK_TTL_MS,
      retries: values.POLLER_RETRIES ?? values.POLLER_MAX_ATTEMPTS,
    },
    rateLimit: values.MILLRACE_RATE_LIMIT,
    generateLimit: values.MILLRACE_GENERATE_LIMIT,
    streamsPerCaller: values.MILLRACE_STREAMS_PER_CALLER,
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
    runningFolder:
      values.NODE_ENV === 'production' || !isLoopbackHost(values.HOST)
        ? null
        : runningFolder(given, homedir()),
    logLevel: values.LOG_LEVEL,
    production: values.NODE_ENV === 'production',
    secrets,
  };
}

function secretsOf(values: Environment, given: Given): string[] {
  const databaseUrl = values.DATABASE_URL ?? null;
  return [
    given['MILLRACE_WEBHOOK_SECRET'],
    given['AZURE_MONITOR_CONNECTION_STRING'],
    ...settingsOfOrgs(values).flatMap(({ clientSecret, privateKey }) => [clientSecret, privateKey]),
    values.IDENTITY_HEADER,
    ...workloads.flatMap(({ settings }) => settings.secrets?.(values) ?? []),
    databaseUrl,
    ...passwordsOf(databaseUrl),
    values.REDIS_URL,
    ...passwordsOf(values.REDIS_URL ?? null),
  ].flatMap((secret) => secret || []);
}

/** The one of SALESFORCE_* first; it is called after the product. */
function settingsOfOrgs(values: Environment): OrgSetting[] {
  const clientId = values.SALESFORCE_CLIENT_ID;
  const first =
    clientId === undefined
      ? []
      : [
          {
            name: 'salesforce',
            clientId,
            clientSecret: values.SALESFORCE_CLIENT_SECRET,
            username: values.SALESFORCE_USERNAME,
            privateKey: values.SALESFORCE_PRIVATE_KEY,
            tenant: values.SALESFORCE_TENANT,
            purgeRequests: values.SALESFORCE_PURGE_REQUESTS,
            namespace: values.SALESFORCE_NAMESPACE,
            fields: values.SALESFORCE_FIELDS,
          },
        ];
  return [...first, ...values.SALESFORCE_ORGS];
}

function orgsOf(values: Environment): OrgConfig[] {
  return settingsOfOrgs(values).flatMap((setting) => {
    const { name, fields: named = {}, namespace, tenant = '', purgeRequests = false } = setting;
    const auth = authOf(setting);
    const { document, ...fields } = named;
    const loginUrl = setting.loginUrl ?? values.SALESFORCE_LOGIN_URL;
    const apiVersion = setting.apiVersion ?? values.SALESFORCE_API_VERSION;
    const names = { namespace, document, fields };
    const connection = auth && { loginUrl, auth, apiVersion };
    return connection === null ? [] : [{ name, names, tenant, purgeRequests, connection }];
  });
}

function authOf(
  setting: Pick<OrgSetting, 'clientId' | 'clientSecret' | 'username' | 'privateKey'>,
): ConnectionConfig['auth'] | null {
  const { clientId, clientSecret, username, privateKey } = setting;
  if (username !== undefined && privateKey !== undefined)
    return { type: 'jwt', clientId, username, privateKey };
  return clientSecret === undefined ? null : { type: 'clientCredentials', clientId, clientSecret };
}

function salesforceContradictions(values: Environment): string[] {
  const settings = settingsOfOrgs(values);
  const problems = settings
    .filter((setting) => authOf(setting) === null)
    .map(({ name }) =>
      name === 'salesforce'
        ? 'SALESFORCE_CLIENT_ID: needs SALESFORCE_CLIENT_SECRET, or SALESFORCE_USERNAME with SALESFORCE_PRIVATE_KEY.'
        : `SALESFORCE_ORGS: "${name}" needs clientSecret, or username with privateKey.`,
    );
  const names = settings.map(({ name }) => name);
  for (const name of new Set(names.filter((each, index) => names.indexOf(each) !== index)))
    problems.push(`SALESFORCE_ORGS: two orgs are called "${name}".`);
  const takers = workloads.filter(({ takesOrgs }) => takesOrgs);
  const nobody = takers.every((workload) => workload.settings.read(values) === null);
  if ((settings.length > 0 || values.SALESFORCE_SANDBOX) && nobody) {
    const switches = takers.map((workload) => workload.settings.switch).join(' or ');
    problems.push(`${switches}: an org has work for it, so it cannot be false.`);
  }
  if (values.SALESFORCE_SANDBOX && settings.length > 0)
    problems.push('SALESFORCE_SANDBOX: there is a real org already. Leave one of them out.');
  if (values.SALESFORCE_SANDBOX && !mayBeSandbox(values.NODE_ENV))
    problems.push(
      `SALESFORCE_SANDBOX: NODE_ENV=${values.NODE_ENV} has no simulated org. It is for development and test.`,
    );
  return problems;
}

/** Settings that are each right and contradict each other. */
function contradictions(values: Environment, given: Given): string[] {
  const problems = [
    ...identityContradictions(values, given),
    ...salesforceContradictions(values),
    ...databaseContradictions(values),
    ...workloads.flatMap(({ settings }) => settings.contradictions?.(values) ?? []),
    ...redisContradictions(values),
  ];
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
