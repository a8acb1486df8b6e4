import {
  TLS_MODES,
  type Variables,
  certificates,
  flag,
  list,
  oneOf,
  postgresUrl,
  setting,
  text,
  time,
  unset,
  wholeNumber,
} from '@millrace/workload-kit';
import { workloads } from '@millrace/workloads';
import { z } from 'zod';
import {
  allowedHosts,
  apiVersion,
  dataFolder,
  orgs,
  pools,
  port,
  privateKey,
  redisPrefix,
  redisUrl,
  salesforceFields,
  someOf,
  tenant,
  trustedAddress,
  webAddress,
  webhookSecret,
} from './settings.ts';

const ofWorkloads: Variables = Object.assign(
  {},
  ...workloads.map(({ settings }) => settings.variables),
);

/** Every setting there is, with its default and a sentence. docs/configuration.md is checked against it. */
export const environment = z.object({
  MILLRACE_CONFIG: unset(
    text,
    'A YAML file with settings, one a line under the names of this table; unset, millrace.yaml in the folder of the start, if there is one.',
  ),
  MILLRACE_ENVIRONMENT: unset(
    text,
    'What people call this installation, such as production: the console shows it; unset, nothing, and "sandbox" in a sandbox.',
  ),
  HOST: setting(
    text,
    '127.0.0.1',
    'The address to listen on; anything but loopback needs ISSUER, AUDIENCE and JWKS_URI.',
  ),
  PORT: setting(port, '3000', 'The port to listen on; 0 takes a free one.'),
  MILLRACE_DATA: setting(
    dataFolder,
    '.millrace',
    'The folder for what is kept on disk: the embedded database and what jobs write.',
  ),
  DATABASE_URL: unset(
    postgresUrl,
    'A Postgres database, such as postgres://user:password@host:5432/name; unset, an embedded one in MILLRACE_DATA/db.',
  ),
  DATABASE_POOL_SIZE: setting(
    wholeNumber(2, 1_000),
    '10',
    'How many connections to Postgres this process uses at the most; one more listens.',
  ),
  DATABASE_SSL: unset(
    oneOf(TLS_MODES),
    'TLS to Postgres, as the sslmode of libpq: disable, require, verify-ca or verify-full; it takes precedence over one in DATABASE_URL.',
  ),
  DATABASE_SSL_CA: unset(
    certificates,
    'The authorities whose certificate Postgres may have: the path of a PEM file, or the PEM itself; unset, those that Node trusts.',
  ),
  DATABASE_PASSWORD_FILE: unset(
    text,
    'A file with the password for Postgres, read at each new connection; in place of a password in DATABASE_URL.',
  ),
  DATABASE_AUTH: setting(
    oneOf(['password', 'azure']),
    'password',
    'How the service signs in to Postgres: with a password, or with the token of an Azure managed identity.',
  ),
  AZURE_CLIENT_ID: unset(
    text,
    'The client id of a user-assigned managed identity, for DATABASE_AUTH=azure; unset, the system-assigned one.',
  ),
  IDENTITY_ENDPOINT: unset(
    webAddress,
    'Where App Service and Container Apps give tokens of a managed identity; they set it. Unset, the metadata service of the machine.',
  ),
  IDENTITY_HEADER: unset(text, 'What IDENTITY_ENDPOINT wants to be shown; set by them too.'),
  MILLRACE_DURABLE: setting(
    flag,
    'true',
    'Whether the embedded database waits for the disk; with false it answers sooner, and a power cut may lose the last writes.',
  ),
  MIGRATE: setting(
    oneOf(['on', 'off']),
    'on',
    'Whether a start sets up or updates the schema; with off it only looks at it, and "millrace migrate" has to be run before.',
  ),
  MILLRACE_KEEP_AUDIT: setting(
    time('1d'),
    '400d',
    'How long the audit log keeps what people and programs have done.',
  ),
  REDIS_URL: unset(
    redisUrl,
    'A Redis server, such as redis://user:password@host:6379 or, with TLS, rediss://host:6380; kinds that want it have their jobs there.',
  ),
  REDIS_PASSWORD_FILE: unset(
    text,
    'A file with the password for Redis, read at the start; in place of a password in REDIS_URL.',
  ),
  REDIS_PREFIX: setting(
    redisPrefix,
    'millrace',
    'What the keys in Redis begin with, in braces: the prefix of the queues for BullMQ is {millrace}.',
  ),
  REDIS_REPLICAS: setting(
    wholeNumber(0, 10),
    '0',
    'How many replicas of Redis must have a new job or an outcome before it is answered; not for a cluster.',
  ),
  REDIS_KINDS: setting(
    list,
    '',
    'Which of your own job kinds have their jobs in Redis, separated by commas.',
  ),
  MILLRACE_JOBS: setting(text, './jobs', 'The folder with your own job kinds.'),
  MILLRACE_ROLE: setting(
    oneOf(['all', 'api', 'worker']),
    'all',
    'What this process does: serve the API, work, or both; a worker still answers health and worker requests.',
  ),
  MILLRACE_CONCURRENCY: setting(
    wholeNumber(1, 10_000),
    '20',
    'How many jobs the default pool runs at the same time.',
  ),
  MILLRACE_BATCH: setting(
    wholeNumber(1, 1_000),
    '20',
    'How many jobs the default pool claims at once.',
  ),
  MILLRACE_POLL_ACTIVE: setting(
    time('10ms'),
    '5s',
    'How long the default pool waits after a claim that found something, unless it is notified.',
  ),
  MILLRACE_POLL_IDLE: setting(
    time('10ms'),
    '15s',
    'How long the default pool waits after a claim that found nothing, unless it is notified.',
  ),
  MILLRACE_POOLS: setting(
    pools,
    '[]',
    'More pools, as a JSON array; each names its kinds and may set what the default pool has.',
  ),
  MILLRACE_LEASE: setting(
    time('2s'),
    '2m',
    'How long a silent worker keeps its jobs before others take them over.',
  ),
  MILLRACE_SHUTDOWN_GRACE: setting(
    time('0s'),
    '5m',
    'How long running jobs may take to end once the process was asked to stop.',
  ),
  MILLRACE_WEBHOOK_SECRET: unset(
    webhookSecret,
    'The key that webhooks are signed with, whsec_ and base64; unset, jobs with a webhook are refused.',
  ),
  MILLRACE_WEBHOOK_ALLOW: setting(
    allowedHosts,
    '',
    'Hosts (or host:port), separated by commas, that webhooks may reach by plain HTTP and at private addresses.',
  ),
  ...ofWorkloads,
  SALESFORCE_LOGIN_URL: setting(
    trustedAddress,
    'https://login.salesforce.com',
    'Where tokens come from: the login host, or the My Domain that client credentials need.',
  ),
  SALESFORCE_CLIENT_ID: unset(
    text,
    'The consumer key of the connected app; set, the records of the org are a queue.',
  ),
  SALESFORCE_CLIENT_SECRET: unset(text, 'The consumer secret, for client credentials.'),
  SALESFORCE_USERNAME: unset(text, 'The integration user, for JWT bearer.'),
  SALESFORCE_PRIVATE_KEY: unset(
    privateKey,
    'The private key for JWT bearer: the path of a PEM file, or the PEM itself.',
  ),
  SALESFORCE_API_VERSION: setting(
    apiVersion,
    '59.0',
    'The version of the REST API that is spoken to the org.',
  ),
  SALESFORCE_NAMESPACE: unset(
    text,
    'The namespace of the package, where it was installed as managed.',
  ),
  SALESFORCE_TENANT: unset(
    tenant,
    'The tenant whose jobs the records of the org are; unset: the only one.',
  ),
  SALESFORCE_PURGE_REQUESTS: setting(
    flag,
    'false',
    'Empties RequestJSON__c, which holds the data of a document, when the document is made.',
  ),
  SALESFORCE_FIELDS: setting(
    salesforceFields,
    '{}',
    'Other names of the object and its fields, as a JSON object such as {"status": "State__c"}.',
  ),
  SALESFORCE_ORGS: setting(
    orgs,
    '[]',
    'More orgs, as a JSON array; each has a name and what SALESFORCE_* says of the first.',
  ),
  SALESFORCE_SANDBOX: setting(
    flag,
    'false',
    'Starts a simulated org on this machine and works for it; never in production.',
  ),
  POLLER_INTERVAL_MS: setting(
    wholeNumber(100, 3_600_000),
    '15000',
    'How long an org is left alone after a claim that found something, in milliseconds.',
  ),
  POLLER_IDLE_INTERVAL_MS: setting(
    wholeNumber(100, 3_600_000),
    '60000',
    'How long an org is left alone after a claim that found nothing, in milliseconds.',
  ),
  POLLER_BATCH_SIZE: setting(
    wholeNumber(1, 200),
    '20',
    'How many documents one claim takes from an org.',
  ),
  POLLER_LOCK_TTL_MS: setting(
    wholeNumber(10_000, 3_600_000),
    '120000',
    'How long a silent worker keeps its documents of an org, in milliseconds.',
  ),
  POLLER_MAX_ATTEMPTS: setting(
    wholeNumber(0, 20),
    '3',
    'How often a document of an org is tried again before it is FAILED: it counts retries, not attempts.',
  ),
  POLLER_RETRIES: unset(
    wholeNumber(0, 20),
    'The same under the name that says what it counts; it wins where both are set.',
  ),
  ISSUER: unset(
    someOf,
    'Who issues tokens, such as https://login.microsoftonline.com/TENANT/v2.0; several are separated by commas, and people sign in at the first.',
  ),
  AUDIENCE: unset(
    someOf,
    'Whom tokens must be for, such as CLIENT-ID,api://CLIENT-ID: Entra ID writes the one or the other; several are separated by commas.',
  ),
  JWKS_URI: unset(
    trustedAddress,
    'Where the issuer publishes its keys, such as https://login.microsoftonline.com/TENANT/discovery/v2.0/keys.',
  ),
  TENANT_CLAIM: unset(
    text,
    'The claim of a token that names the tenants of its caller, a text or a list of texts; unset, tenants are no boundary.',
  ),
  CALLER_CLAIMS: setting(
    list,
    'county',
    'Claims of a token that are kept with what its caller submits, for the row rules of reports; separated by commas.',
  ),
  MILLRACE_CLIENT_ID: unset(
    text,
    'The public client with which millrace login signs people in; unset, it cannot.',
  ),
  AUTH_BYPASS_DEVELOPMENT: setting(
    flag,
    'false',
    'Asks nobody who they are. Only with NODE_ENV=development written out, and only on loopback.',
  ),
  MILLRACE_RATE_LIMIT: setting(
    wholeNumber(1, 100_000_000),
    '30000',
    'How many requests a minute one caller may make to this process.',
  ),
  MILLRACE_GENERATE_LIMIT: setting(
    wholeNumber(2_097_152, 50_000_000),
    '10000000',
    'How many bytes a request to /generate may have. All JSON that is worked on at the same time may be six times that, and four times that of one caller; beyond, the answer is 503 too_many_large.',
  ),
  MILLRACE_STREAMS_PER_CALLER: setting(
    wholeNumber(1, 10_000),
    '100',
    'How many live streams one caller may have open on this process.',
  ),
  ENABLE_TELEMETRY: setting(
    flag,
    'true',
    'Metrics, and traces where a variable below names a place.',
  ),
  MILLRACE_METRICS_PORT: unset(
    port,
    'Serves /metrics without a token on a port of its own; unset, only at /metrics for operators.',
  ),
  MILLRACE_METRICS_HOST: setting(
    text,
    '127.0.0.1',
    'The address that MILLRACE_METRICS_PORT is on.',
  ),
  AZURE_MONITOR_CONNECTION_STRING: unset(
    text,
    'Sends metrics and traces to Azure Monitor (Application Insights).',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: unset(
    webAddress,
    'Sends traces by OTLP over HTTP, such as http://localhost:4318.',
  ),
  MILLRACE_TRACES_PER_SECOND: setting(
    wholeNumber(0, 100_000),
    '50',
    'How many traces a second one process begins at the most; the rest is only counted.',
  ),
  LOG_LEVEL: setting(
    oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'info',
    'The least important lines to log; info has a line for each execution of a job, debug for each request.',
  ),
  NODE_ENV: setting(
    text,
    'development',
    'With production, the log is JSON in a terminal too. The sandbox is for development and test alone.',
  ),
});
export type Environment = z.output<typeof environment>;
