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
    'A YAML file with settings, under the names of this table; unset, millrace.yaml in the working directory, if it exists.',
  ),
  MILLRACE_ENVIRONMENT: unset(
    text,
    'The name of this installation, such as production, shown in the console; unset, none, and "sandbox" in a sandbox.',
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
    'The folder for data on disk: the embedded database and files written by jobs.',
  ),
  DATABASE_URL: unset(
    postgresUrl,
    'A Postgres database, such as postgres://user:password@host:5432/name; unset, an embedded one in MILLRACE_DATA/db.',
  ),
  DATABASE_POOL_SIZE: setting(
    wholeNumber(2, 1_000),
    '10',
    'The maximum of connections to Postgres per process; one more listens for notifications.',
  ),
  DATABASE_SSL: unset(
    oneOf(TLS_MODES),
    'TLS to Postgres, as the sslmode of libpq: disable, require, verify-ca or verify-full; it takes precedence over one in DATABASE_URL.',
  ),
  DATABASE_SSL_CA: unset(
    certificates,
    'The certificate authorities to trust for Postgres: the path of a PEM file, or the PEM itself; unset, those that Node trusts.',
  ),
  DATABASE_PASSWORD_FILE: unset(
    text,
    'A file with the password for Postgres, read at each new connection; in place of a password in DATABASE_URL.',
  ),
  DATABASE_AUTH: setting(
    oneOf(['password', 'azure']),
    'password',
    'How the service signs in to Postgres: password, or azure (the token of a managed identity).',
  ),
  AZURE_CLIENT_ID: unset(
    text,
    'The client id of a user-assigned managed identity, for DATABASE_AUTH=azure; unset, the system-assigned one.',
  ),
  IDENTITY_ENDPOINT: unset(
    webAddress,
    'The token endpoint of managed identities; App Service and Container Apps set it. Unset, the metadata service of the machine.',
  ),
  IDENTITY_HEADER: unset(
    text,
    'The secret header for IDENTITY_ENDPOINT; set by App Service and Container Apps too.',
  ),
  MILLRACE_DURABLE: setting(
    flag,
    'true',
    'Whether the embedded database syncs each commit to disk; false is faster, and a power cut may lose the last writes.',
  ),
  MIGRATE: setting(
    oneOf(['on', 'off']),
    'on',
    'Whether a start creates or updates the schema; with off it only checks it, and "millrace migrate" must be run first.',
  ),
  MILLRACE_KEEP_AUDIT: setting(time('1d'), '400d', 'How long entries of the audit log are kept.'),
  REDIS_URL: unset(
    redisUrl,
    'A Redis server for the kinds that ask for it, such as redis://user:password@host:6379 or, with TLS, rediss://host:6380.',
  ),
  REDIS_PASSWORD_FILE: unset(
    text,
    'A file with the password for Redis, read at the start; in place of a password in REDIS_URL.',
  ),
  REDIS_PREFIX: setting(
    redisPrefix,
    'millrace',
    'The prefix of all keys in Redis, written in braces there: for BullMQ the prefix of the queues is {millrace}.',
  ),
  REDIS_REPLICAS: setting(
    wholeNumber(0, 10),
    '0',
    'How many Redis replicas must confirm a new job or an outcome before the call returns; not for a cluster.',
  ),
  REDIS_KINDS: setting(
    list,
    '',
    'Your own job kinds whose jobs are kept in Redis, separated by commas.',
  ),
  MILLRACE_JOBS: setting(text, './jobs', 'The folder with your own job kinds.'),
  MILLRACE_ROLE: setting(
    oneOf(['all', 'api', 'worker']),
    'all',
    'The role of this process: api, worker, or all; a worker still answers health and worker requests.',
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
    'The default pool’s poll interval after a claim that found jobs; a notification wakes it earlier.',
  ),
  MILLRACE_POLL_IDLE: setting(
    time('10ms'),
    '15s',
    'The default pool’s poll interval after a claim that found none; a notification wakes it earlier.',
  ),
  MILLRACE_POOLS: setting(
    pools,
    '[]',
    'More pools, as a JSON array; each names its kinds and may override the default pool’s settings.',
  ),
  MILLRACE_LEASE: setting(
    time('2s'),
    '2m',
    'How long a worker that stops renewing keeps its jobs before others take them over.',
  ),
  MILLRACE_SHUTDOWN_GRACE: setting(
    time('0s'),
    '5m',
    'How long a stopping process waits for its running jobs.',
  ),
  MILLRACE_WEBHOOK_SECRET: unset(
    webhookSecret,
    'The key that webhooks are signed with, whsec_ and base64; unset, jobs with a webhook are refused.',
  ),
  MILLRACE_WEBHOOK_ALLOW: setting(
    allowedHosts,
    '',
    'Hosts (or host:port), separated by commas, that webhooks may reach over plain HTTP and at private addresses.',
  ),
  ...ofWorkloads,
  SALESFORCE_LOGIN_URL: setting(
    trustedAddress,
    'https://login.salesforce.com',
    'Where tokens come from: the login host, or the My Domain that client credentials need.',
  ),
  SALESFORCE_CLIENT_ID: unset(
    text,
    'The consumer key of the connected app; when set, the org’s records are a queue.',
  ),
  SALESFORCE_CLIENT_SECRET: unset(text, 'The consumer secret, for client credentials.'),
  SALESFORCE_USERNAME: unset(text, 'The integration user, for JWT bearer.'),
  SALESFORCE_PRIVATE_KEY: unset(
    privateKey,
    'The private key for JWT bearer: the path of a PEM file, or the PEM itself.',
  ),
  SALESFORCE_API_VERSION: setting(apiVersion, '59.0', 'The version of the Salesforce REST API.'),
  SALESFORCE_NAMESPACE: unset(text, 'The namespace of the package, if it is installed as managed.'),
  SALESFORCE_TENANT: unset(
    tenant,
    'The tenant that the org’s jobs belong to; unset, the only tenant.',
  ),
  SALESFORCE_PURGE_REQUESTS: setting(
    flag,
    'false',
    'Empties RequestJSON__c, which holds the data of a document, once the document is generated.',
  ),
  SALESFORCE_FIELDS: setting(
    salesforceFields,
    '{}',
    'Other names of the object and its fields, as a JSON object such as {"status": "State__c"}.',
  ),
  SALESFORCE_ORGS: setting(
    orgs,
    '[]',
    'More orgs, as a JSON array; each has a name and the settings that SALESFORCE_* gives for the first.',
  ),
  SALESFORCE_SANDBOX: setting(
    flag,
    'false',
    'Starts a simulated org on this machine and works on its records; refused in production.',
  ),
  POLLER_INTERVAL_MS: setting(
    wholeNumber(100, 3_600_000),
    '15000',
    'The poll interval of an org after a claim that found documents, in milliseconds.',
  ),
  POLLER_IDLE_INTERVAL_MS: setting(
    wholeNumber(100, 3_600_000),
    '60000',
    'The poll interval of an org after a claim that found none, in milliseconds.',
  ),
  POLLER_BATCH_SIZE: setting(
    wholeNumber(1, 200),
    '20',
    'How many documents one claim takes from an org.',
  ),
  POLLER_LOCK_TTL_MS: setting(
    wholeNumber(10_000, 3_600_000),
    '120000',
    'How long a worker that stops renewing keeps its documents of an org, in milliseconds.',
  ),
  POLLER_MAX_ATTEMPTS: setting(
    wholeNumber(0, 20),
    '3',
    'How often a document of an org is retried before it is FAILED: it counts retries, not attempts.',
  ),
  POLLER_RETRIES: unset(
    wholeNumber(0, 20),
    'The same as POLLER_MAX_ATTEMPTS under a clearer name; it wins if both are set.',
  ),
  ISSUER: unset(
    someOf,
    'The issuer of tokens, such as https://login.microsoftonline.com/TENANT/v2.0; several are separated by commas, and people sign in at the first one.',
  ),
  AUDIENCE: unset(
    someOf,
    'The audience that tokens must have, such as CLIENT-ID,api://CLIENT-ID (Entra ID uses one or the other); several are separated by commas.',
  ),
  JWKS_URI: unset(
    trustedAddress,
    'Where the issuer publishes its keys, such as https://login.microsoftonline.com/TENANT/discovery/v2.0/keys.',
  ),
  TENANT_CLAIM: unset(
    text,
    'The token claim that lists the caller’s tenants, a string or an array of strings; unset, tenants do not limit access.',
  ),
  CALLER_CLAIMS: setting(
    list,
    'county',
    'Token claims that are stored with each submission, for the row rules of reports; separated by commas.',
  ),
  MILLRACE_CLIENT_ID: unset(
    text,
    'The public OAuth client that millrace login uses; unset, millrace login does not work.',
  ),
  AUTH_BYPASS_DEVELOPMENT: setting(
    flag,
    'false',
    'Turns authentication off. Only with NODE_ENV=development set explicitly, and only on loopback.',
  ),
  MILLRACE_RATE_LIMIT: setting(
    wholeNumber(1, 100_000_000),
    '30000',
    'The maximum of requests per minute and caller to this process.',
  ),
  MILLRACE_GENERATE_LIMIT: setting(
    wholeNumber(2_097_152, 50_000_000),
    '10000000',
    'The maximum size of a request to /generate in bytes. All JSON in progress may be six times that, and that of one caller four times; beyond, the answer is 503 too_many_large.',
  ),
  MILLRACE_STREAMS_PER_CALLER: setting(
    wholeNumber(1, 10_000),
    '100',
    'The maximum of live streams per caller on this process.',
  ),
  ENABLE_TELEMETRY: setting(
    flag,
    'true',
    'Metrics, and traces if a variable below names a destination.',
  ),
  MILLRACE_METRICS_PORT: unset(
    port,
    'Serves /metrics without a token on this separate port; unset, /metrics needs the role operator.',
  ),
  MILLRACE_METRICS_HOST: setting(
    text,
    '127.0.0.1',
    'The address that MILLRACE_METRICS_PORT listens on.',
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
    'The maximum of new traces per second and process; further ones are only counted.',
  ),
  LOG_LEVEL: setting(
    oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'info',
    'The lowest level to log; info has a line per execution of a job, debug one per request.',
  ),
  NODE_ENV: setting(
    text,
    'development',
    'With production, the log is JSON in a terminal too. The sandbox starts only with development or test.',
  ),
});
export type Environment = z.output<typeof environment>;
