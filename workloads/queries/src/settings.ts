import { readFileSync } from 'node:fs';
import {
  flag,
  list,
  setting,
  settingsOf,
  text,
  time,
  unset,
  wholeNumber,
} from '@millrace/workload-kit';
import { z } from 'zod';
import { type MidOfTenant, parseMids } from './mids.ts';
import { POLL_CONFIG } from './poll/config.ts';
import type { WorkConfig } from './workshop.ts';

export interface QueriesConfig {
  /** Empty: there is none of Marketing Cloud, and routes that need one say so. */
  readonly accounts: readonly Account[];
  readonly enterpriseTables: boolean;
  readonly work: WorkConfig;
  /** Slots of both kinds together. */
  readonly concurrency: number;
  /** How long a poll waits for others that ask about the same business unit. */
  readonly gatherMs: number;
  /** Of runs that are over, with their SQL. */
  readonly keepRunsMs: number;
  /** In place of the one of the database. */
  readonly installation: string | undefined;
}

export interface Account {
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly mids: readonly MidOfTenant[];
}

const mids = list.transform((entries, context) => {
  const parsed = parseMids(entries);
  if (parsed !== null) return parsed;
  context.issues.push({ code: 'custom', input: '', message: NOT_MIDS });
  return z.NEVER;
});

const NOT_MIDS = 'Write MIDs, each with its tenant where there are tenants: 100001,acme=100002.';

/** The secret goes there: plain HTTP only within this machine. */
const authUrl = z.string().refine(
  (value) => {
    const { protocol = '', hostname = '' } = URL.canParse(value) ? new URL(value) : {};
    const isHere = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
    return protocol === 'https:' || (protocol === 'http:' && isHere);
  },
  { error: 'Write a URL with https; http only for localhost.' },
);

const secretFile = z.string().transform((path, context) => {
  try {
    const secret = readFileSync(path, 'utf8').trim();
    if (secret !== '') return secret;
  } catch {
    // Said below, with an empty file.
  }
  context.issues.push({ code: 'custom', input: '', message: 'Write the path of a file with it.' });
  return z.NEVER;
});

const enterprise = z.string().regex(/^\d{1,20}$/, { error: 'Write the number of an enterprise.' });

/** One more enterprise that shares the installation. */
const account = z.strictObject({
  authUrl,
  clientId: z.string().min(1),
  clientSecretFile: secretFile,
  eid: enterprise.optional(),
  mids: z
    .array(z.string())
    .min(1)
    .transform((entries, context) => {
      const parsed = parseMids(entries);
      if (parsed !== null) return parsed;
      context.issues.push({ code: 'custom', input: '', message: NOT_MIDS });
      return z.NEVER;
    }),
  /** Who alone may use it, by their names. */
  users: z.array(z.string().min(1)).min(1).optional(),
});

const accounts = z
  .string()
  .transform((value, context): unknown => {
    try {
      return JSON.parse(value);
    } catch {
      context.issues.push({
        code: 'custom',
        input: '',
        message: 'Write JSON. What stands there is not.',
      });
      return z.NEVER;
    }
  })
  .pipe(z.array(account));

const folder = z.string().regex(/^\d{1,20}$/, { error: 'Write the number of a folder.' });

const number = z
  .string()
  .regex(/^\d{1,3}(\.\d{1,3})?$/, { error: 'Write a number such as 2 or 0.4.' })
  .transform(Number);

/** As people write it: `30s`, `29m`, `1500ms`. */
function written(ms: number): string {
  if (ms % 60_000 === 0) return `${ms / 60_000}m`;
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}

export const settings = settingsOf({
  switch: 'MILLRACE_QUERIES',
  variables: {
    MILLRACE_QUERIES: setting(
      flag,
      'true',
      'Whether this process runs queries on Marketing Cloud: their kinds and routes.',
    ),
    MCE_AUTH_URL: unset(
      authUrl,
      'Where tokens of Marketing Cloud come from: https://SUBDOMAIN.auth.marketingcloudapis.com. Unset, there are no queries.',
    ),
    MCE_CLIENT_ID: unset(text, 'The client id of the installed package.'),
    MCE_CLIENT_SECRET: unset(text, 'Its secret.'),
    MCE_CLIENT_SECRET_FILE: unset(secretFile, 'A file with the secret, in place of the secret.'),
    MCE_MIDS: setting(
      mids,
      '',
      'The business units that may be queried, separated by commas, each with its tenant where there are tenants: 100001,acme=100002. The first of a tenant is its usual one.',
    ),
    MCE_EID: unset(enterprise, 'The number of the enterprise (EID) of that account: runs say it.'),
    MCE_ACCOUNTS: setting(
      accounts,
      '[]',
      'More accounts, where several enterprises share the installation: a JSON array with authUrl, clientId, clientSecretFile, mids and, where wanted, eid and users (who alone may use it) of each.',
    ),
    MCE_ENTERPRISE_TABLES: setting(
      flag,
      'false',
      'Whether queries may read tables of the parent business unit (Ent.) where MCE_MIDS names tenants, all of whom then share them. Without tenants they always may.',
    ),
    MCE_DATA_EXTENSION_FOLDER_ID: unset(
      folder,
      'The folder of data extensions (its CategoryID) in which the temporary ones are made; unset, the root folder.',
    ),
    MCE_QUERY_FOLDER_ID: unset(
      folder,
      'The folder of queries (its CategoryID) in which the temporary ones are made; unset, the root folder.',
    ),
    SHELL_QUERY_CONCURRENCY: setting(
      wholeNumber(1, 10_000),
      '50',
      'How many queries are started and polled at the same time. A query that runs takes no slot.',
    ),
    SHELL_QUERY_GATHER: setting(
      time('0ms'),
      '20ms',
      'How long a poll waits for others, to ask about all of them in one call.',
    ),
    SHELL_QUERY_KEEP_RESULTS: setting(
      time('1m'),
      '24h',
      'How long the rows of a query can be read; then its data extension is deleted.',
    ),
    SHELL_QUERY_KEEP_RUNS: setting(time('1h'), '90d', 'How long runs are kept in the history.'),
    SHELL_QUERY_INSTALLATION: unset(
      z.string().regex(/^[a-z0-9]{1,8}$/, {
        error: 'Write up to 8 lower-case letters and digits.',
      }),
      'A name in the keys of all that is made in Marketing Cloud. Unset, the one of the database. Needed for a copy of a database, or its sweeper deletes what the other one made.',
    ),
    SHELL_QUERY_START_LOOK: setting(
      time('1s'),
      '2m',
      'For how long signs of a query are looked for, where the answer to its start was lost.',
    ),
    SHELL_QUERY_INITIAL_DELAY: setting(
      time('1ms'),
      written(POLL_CONFIG.initialDelayMs),
      'The time before the first poll, and the base of the backoff.',
    ),
    SHELL_QUERY_MAX_DELAY: setting(
      time('1ms'),
      written(POLL_CONFIG.maxDelayMs),
      'The longest time between two polls.',
    ),
    SHELL_QUERY_BACKOFF_MULTIPLIER: setting(
      number.refine((value) => value >= 1, { error: 'Write at least 1.' }),
      String(POLL_CONFIG.backoffMultiplier),
      'What each time between two polls is multiplied with.',
    ),
    SHELL_QUERY_JITTER_RANGE: setting(
      number.refine((value) => value <= 1, { error: 'Write at most 1.' }),
      String(POLL_CONFIG.jitterRange),
      'How far the time between two polls varies: 0.4 is 20 % up and down.',
    ),
    SHELL_QUERY_MAX_POLL_COUNT: setting(
      wholeNumber(1, 100_000),
      String(POLL_CONFIG.maxPollCount),
      'After so many polls a run fails.',
    ),
    SHELL_QUERY_MAX_DURATION: setting(
      time('1s'),
      written(POLL_CONFIG.maxDurationMs),
      'After so long a run fails. Marketing Cloud ends queries after 30 minutes.',
    ),
    SHELL_QUERY_COMPLETED_DATE_TRIGGER_MIN_RUNTIME: setting(
      time('0ms'),
      written(POLL_CONFIG.completedDateTriggerMinRuntimeMs),
      'From then on a CompletedDate is reason to ask whether the query still runs.',
    ),
    SHELL_QUERY_STUCK_THRESHOLD: setting(
      time('1ms'),
      written(POLL_CONFIG.stuckThresholdMs),
      'After so long without a usable status it is asked whether the query still runs.',
    ),
    SHELL_QUERY_NOT_RUNNING_CONFIRMATIONS: setting(
      wholeNumber(1, 100),
      String(POLL_CONFIG.notRunningConfirmations),
      'How often Marketing Cloud must say that the query does not run.',
    ),
    SHELL_QUERY_NOT_RUNNING_CONFIRMATION_MIN_GAP: setting(
      time('0ms'),
      written(POLL_CONFIG.notRunningConfirmationMinGapMs),
      'The least time between two of these.',
    ),
    SHELL_QUERY_QUEUED_NOT_RUNNING: setting(
      time('0ms'),
      written(POLL_CONFIG.queuedNotRunningMs),
      'For so long Marketing Cloud must say so of a query that it still calls Queued, with a CompletedDate, and that was never seen to run.',
    ),
    SHELL_QUERY_ROWSET_READY_MAX_ATTEMPTS: setting(
      wholeNumber(1, 100),
      String(POLL_CONFIG.rowsetReadyMaxAttempts),
      'How often reading the rows of a query that is over is tried, before the run fails.',
    ),
    SHELL_QUERY_ROWSET_EMPTY_LOOKS: setting(
      wholeNumber(1, 100),
      String(POLL_CONFIG.rowsetEmptyLooks),
      'How often a query that is over must show no rows, before it counts as one without.',
    ),
    SHELL_QUERY_ROWSET_READY_INITIAL_DELAY: setting(
      time('1ms'),
      written(POLL_CONFIG.rowsetReadyInitialDelayMs),
      'The time between the first two of these.',
    ),
    SHELL_QUERY_ROWSET_READY_MAX_DELAY: setting(
      time('1ms'),
      written(POLL_CONFIG.rowsetReadyMaxDelayMs),
      'The longest time between two of these.',
    ),
    SHELL_QUERY_ROW_PROBE_MIN_RUNTIME: setting(
      time('0ms'),
      written(POLL_CONFIG.rowProbeMinRuntimeMs),
      'From then on rows are looked for before the query is known to be over.',
    ),
    SHELL_QUERY_ROW_PROBE_MIN_INTERVAL: setting(
      time('1ms'),
      written(POLL_CONFIG.rowProbeMinIntervalMs),
      'The time between the first two of these looks; it doubles with each.',
    ),
    SHELL_QUERY_ROW_PROBE_PAGE_SIZE: setting(
      wholeNumber(1, 2_500),
      String(POLL_CONFIG.rowProbePageSize),
      'How many rows such a look asks for.',
    ),
  },
  contradictions(values) {
    const { MCE_AUTH_URL: url, MCE_CLIENT_ID: id, MCE_MIDS: units } = values;
    const secret = values.MCE_CLIENT_SECRET ?? values.MCE_CLIENT_SECRET_FILE;
    const parts = {
      MCE_AUTH_URL: url !== undefined,
      MCE_CLIENT_ID: id !== undefined,
      'MCE_CLIENT_SECRET or MCE_CLIENT_SECRET_FILE': secret !== undefined,
      MCE_MIDS: units.length > 0,
    };
    const missing = Object.entries(parts).flatMap(([name, isThere]) => (isThere ? [] : [name]));
    const isPart = missing.length > 0 && missing.length < Object.keys(parts).length;
    const both =
      values.MCE_CLIENT_SECRET !== undefined && values.MCE_CLIENT_SECRET_FILE !== undefined;
    const all = [units, ...values.MCE_ACCOUNTS.map((each) => each.mids)].flatMap((each) => [
      ...new Set(each.map(({ mid }) => mid)),
    ]);
    const twice = all.find((mid, index) => all.indexOf(mid) !== index);
    return [
      ...(twice !== undefined
        ? [`MCE_ACCOUNTS: the business unit ${twice} is in two accounts. It is of one enterprise.`]
        : []),
      ...(isPart
        ? missing.map((name) => `${name}: is missing, for the account of Marketing Cloud.`)
        : []),
      ...(both ? ['MCE_CLIENT_SECRET_FILE: contradicts MCE_CLIENT_SECRET. Leave one out.'] : []),
    ];
  },
  secrets: (values) => [
    ...[values.MCE_CLIENT_SECRET, values.MCE_CLIENT_SECRET_FILE].flatMap((secret) => secret ?? []),
    ...values.MCE_ACCOUNTS.map(({ clientSecretFile }) => clientSecretFile),
  ],
  read(values): QueriesConfig | null {
    if (!values.MILLRACE_QUERIES) return null;
    const { MCE_AUTH_URL: url, MCE_CLIENT_ID: clientId, MCE_MIDS: units } = values;
    const clientSecret = values.MCE_CLIENT_SECRET ?? values.MCE_CLIENT_SECRET_FILE;
    const isWhole = url !== undefined && clientId !== undefined && clientSecret !== undefined;
    return {
      accounts: [
        ...(isWhole
          ? [
              {
                authUrl: url,
                clientId,
                clientSecret,
                mids: units.map((unit) => ({ ...unit, eid: values.MCE_EID ?? null })),
              },
            ]
          : []),
        ...values.MCE_ACCOUNTS.map((each) => ({
          authUrl: each.authUrl,
          clientId: each.clientId,
          clientSecret: each.clientSecretFile,
          mids: each.mids.map((unit) => ({
            ...unit,
            eid: each.eid ?? null,
            ...(each.users !== undefined && { users: each.users }),
          })),
        })),
      ],
      enterpriseTables: values.MCE_ENTERPRISE_TABLES,
      concurrency: values.SHELL_QUERY_CONCURRENCY,
      gatherMs: values.SHELL_QUERY_GATHER,
      keepRunsMs: values.SHELL_QUERY_KEEP_RUNS,
      installation: values.SHELL_QUERY_INSTALLATION,
      work: {
        keepResultsMs: values.SHELL_QUERY_KEEP_RESULTS,
        dataExtensionFolderId: values.MCE_DATA_EXTENSION_FOLDER_ID,
        queryFolderId: values.MCE_QUERY_FOLDER_ID,
        startLookMs: values.SHELL_QUERY_START_LOOK,
        startLookEveryMs: Math.min(10_000, values.SHELL_QUERY_START_LOOK / 4),
        poll: {
          initialDelayMs: values.SHELL_QUERY_INITIAL_DELAY,
          maxDelayMs: values.SHELL_QUERY_MAX_DELAY,
          backoffMultiplier: values.SHELL_QUERY_BACKOFF_MULTIPLIER,
          jitterRange: values.SHELL_QUERY_JITTER_RANGE,
          maxPollCount: values.SHELL_QUERY_MAX_POLL_COUNT,
          maxDurationMs: values.SHELL_QUERY_MAX_DURATION,
          completedDateTriggerMinRuntimeMs: values.SHELL_QUERY_COMPLETED_DATE_TRIGGER_MIN_RUNTIME,
          stuckThresholdMs: values.SHELL_QUERY_STUCK_THRESHOLD,
          notRunningConfirmations: values.SHELL_QUERY_NOT_RUNNING_CONFIRMATIONS,
          notRunningConfirmationMinGapMs: values.SHELL_QUERY_NOT_RUNNING_CONFIRMATION_MIN_GAP,
          queuedNotRunningMs: values.SHELL_QUERY_QUEUED_NOT_RUNNING,
          rowsetEmptyLooks: values.SHELL_QUERY_ROWSET_EMPTY_LOOKS,
          rowsetReadyMaxAttempts: values.SHELL_QUERY_ROWSET_READY_MAX_ATTEMPTS,
          rowsetReadyInitialDelayMs: values.SHELL_QUERY_ROWSET_READY_INITIAL_DELAY,
          rowsetReadyMaxDelayMs: values.SHELL_QUERY_ROWSET_READY_MAX_DELAY,
          rowProbeMinRuntimeMs: values.SHELL_QUERY_ROW_PROBE_MIN_RUNTIME,
          rowProbeMinIntervalMs: values.SHELL_QUERY_ROW_PROBE_MIN_INTERVAL,
          rowProbePageSize: values.SHELL_QUERY_ROW_PROBE_PAGE_SIZE,
        },
      },
    };
  },
});
