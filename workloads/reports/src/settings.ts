import {
  type SecretKey,
  type StorageConfig,
  TLS_MODES,
  certificates,
  flag,
  oneOf,
  postgresUrl,
  secretKeys,
  setting,
  settingsOf,
  storageContradictions,
  storageOf,
  storageSecrets,
  storageVariables,
  text,
  time,
  unset,
  wholeNumber,
} from '@millrace/workload-kit';
import { z } from 'zod';
import { type SourceConfig, sourceContradictions, sourceOf } from './settings/source.ts';

export interface ReportsConfig {
  /** Where the files of reports are. */
  readonly folder: string;
  /** Of reports that name none. */
  readonly timeZone: string;
  /** Null: the embedded sample. */
  readonly source: SourceConfig | null;
  /** Null: in the data folder of the process. */
  readonly outputFolder: string | null;
  /** Null: files are in the folder. */
  readonly storage: StorageConfig | null;
  /** The first one encrypts. Empty: no report may keep a token. */
  readonly tokenKeys: readonly SecretKey[];
  readonly statementTimeoutMs: number;
  readonly snapshotMaxAgeMs: number;
  readonly patienceMs: number;
  readonly chunk: { readonly bytes: number; readonly rows: number };
  /** Of a chunk: the attempts start again whenever one is saved. */
  readonly retry: { readonly retries: number; readonly stepMs: number };
  /** How the pool of reports looks for them. */
  readonly poll: { readonly intervalMs: number; readonly batch: number };
  readonly concurrency: number;
  /** Of files. */
  readonly keepMs: number;
  /** Of runs that are over. */
  readonly keepRunsMs: number;
}

const timeZone = z.string().refine(
  (value) => {
    try {
      return Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
    } catch {
      return false;
    }
  },
  { error: 'Write the name of a time zone, such as Europe/Berlin.' },
);

export const settings = settingsOf({
  switch: 'MILLRACE_REPORTS',
  variables: {
    MILLRACE_REPORTS: setting(
      flag,
      'true',
      'Whether this process has reports: their kind, schedules and routes.',
    ),
    MILLRACE_REPORTS_FOLDER: setting(
      text,
      'reports',
      'The folder with the files of reports, which are read again when they change.',
    ),
    REPORTS_TIME_ZONE: setting(
      timeZone,
      'UTC',
      'What "today" is in reports that name no time zone of their own.',
    ),
    REPORTS_DATABASE_URL: unset(
      postgresUrl,
      'The Postgres database that reports read, such as postgres://reader:password@host:5432/name: a role that may only SELECT is enough. Unset, an embedded one with sample data.',
    ),
    REPORTS_DATABASE_SSL: unset(
      oneOf(TLS_MODES),
      'TLS to it, as DATABASE_SSL; it takes precedence over an sslmode in REPORTS_DATABASE_URL.',
    ),
    REPORTS_DATABASE_SSL_CA: unset(
      certificates,
      'The authorities whose certificate it may have: the path of a PEM file, or the PEM itself; unset, those that Node trusts.',
    ),
    REPORTS_DATABASE_PASSWORD_FILE: unset(
      text,
      'A file with its password, read at each new connection; in place of a password in REPORTS_DATABASE_URL.',
    ),
    REPORTS_STATEMENT_TIMEOUT: setting(
      time('1s'),
      '5m',
      'The longest that a statement of a report may take; of rows on their way, the longest between two of them.',
    ),
    REPORTS_SNAPSHOT_MAX_AGE: setting(
      time('1s'),
      '1h',
      'A report reads one snapshot of the database for so long at most, since an old one keeps the database from cleaning up; then it goes on with a newer one and says so.',
    ),
    REPORTS_SOURCE_PATIENCE: setting(
      time('1s'),
      '30m',
      'For how long a run waits for a database or an object storage that does not answer, before it fails.',
    ),
    REPORTS_CHUNK_BYTES: setting(
      wholeNumber(1, 100_000_000),
      '1500000',
      'How many bytes of rows are written before they are made safe together with the place in the report.',
    ),
    REPORTS_CHUNK_ROWS: setting(
      wholeNumber(1, 1_000_000),
      '1000',
      'How many rows that are at least.',
    ),
    REPORTS_CHUNK_RETRIES: setting(
      wholeNumber(0, 100),
      '3',
      'How often a chunk that fails is tried again before the run fails; a chunk that is saved starts the count again.',
    ),
    REPORTS_CHUNK_RETRY_STEP: setting(
      time('0s'),
      '1s',
      'The wait before the first retry of a chunk; each further one waits as much longer.',
    ),
    REPORTS_OUTPUT_FOLDER: unset(
      text,
      'Where files of reports are kept, in place of the database of the queue (or, where that is embedded, MILLRACE_DATA/reports). Several servers need one folder that all of them have: a server that finds another one with a folder of its own says so at the start.',
    ),
    ...storageVariables('REPORTS', { what: 'files of reports', instead: 'folder' }),
    REPORTS_TOKEN_KEYS: setting(
      secretKeys,
      '',
      'Keys for tokens that reports with keepToken keep while they run: ID:KEY, where KEY is 32 random bytes in base64 (openssl rand -base64 32), separated by commas, such as k2:…,k1:… The first one encrypts; older ones stay until their runs are over.',
    ),
    REPORTS_KEEP: setting(
      time('1m'),
      '7d',
      'How long a file can be downloaded, where its report does not say.',
    ),
    REPORTS_KEEP_RUNS: setting(time('1h'), '90d', 'How long runs are kept in the history.'),
    REPORTS_CONCURRENCY: setting(
      wholeNumber(1, 100),
      '2',
      'How many reports this process writes at the same time; each has a connection to the database.',
    ),
    REPORTS_POLL_INTERVAL: setting(
      time('10ms'),
      '5s',
      'How long the pool of reports waits between two claims, unless it is notified.',
    ),
    REPORTS_BATCH: setting(
      wholeNumber(1, 1_000),
      '3',
      'How many reports are claimed at once, as far as there are slots for them.',
    ),
  },
  contradictions: (values) => [
    ...sourceContradictions(values),
    ...storageContradictions('REPORTS', values),
  ],
  secrets: (values) => [
    ...(values.REPORTS_DATABASE_URL === undefined ? [] : [values.REPORTS_DATABASE_URL]),
    ...storageSecrets('REPORTS', values),
    ...values.REPORTS_TOKEN_KEYS.map(({ key }) => key.export().toString('base64')),
  ],
  read(values): ReportsConfig | null {
    if (!values.MILLRACE_REPORTS) return null;
    return {
      folder: values.MILLRACE_REPORTS_FOLDER,
      timeZone: values.REPORTS_TIME_ZONE,
      source: sourceOf(values),
      outputFolder: values.REPORTS_OUTPUT_FOLDER ?? null,
      storage: storageOf('REPORTS', values),
      tokenKeys: values.REPORTS_TOKEN_KEYS,
      statementTimeoutMs: values.REPORTS_STATEMENT_TIMEOUT,
      snapshotMaxAgeMs: values.REPORTS_SNAPSHOT_MAX_AGE,
      patienceMs: values.REPORTS_SOURCE_PATIENCE,
      chunk: { bytes: values.REPORTS_CHUNK_BYTES, rows: values.REPORTS_CHUNK_ROWS },
      retry: { retries: values.REPORTS_CHUNK_RETRIES, stepMs: values.REPORTS_CHUNK_RETRY_STEP },
      poll: { intervalMs: values.REPORTS_POLL_INTERVAL, batch: values.REPORTS_BATCH },
      concurrency: values.REPORTS_CONCURRENCY,
      keepMs: values.REPORTS_KEEP,
      keepRunsMs: values.REPORTS_KEEP_RUNS,
    };
  },
});
