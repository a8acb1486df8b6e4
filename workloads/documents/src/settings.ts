import { statSync } from 'node:fs';
import { defaultSlots } from '@millrace/office';
import {
  flag,
  list,
  type SecretKey,
  secretKeys,
  setting,
  type StorageConfig,
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

export interface DocumentsConfig {
  readonly officePath: string | undefined;
  readonly timeoutMs: number;
  readonly workdir: string;
  /** Conversions at the same time. */
  readonly slots: number;
  readonly imageHosts: readonly string[];
  /** Of files and batches. */
  readonly keepMs: number;
  /** For passwords of PDFs that wait to be made. */
  readonly passwordKeys: readonly SecretKey[];
  /** Null: files are in the database. */
  readonly storage: StorageConfig | null;
}

const WORKDIR = '/tmp';

/** The default is made where a system has none; what someone names has to be there, or a slip makes a folder. */
const workdir = text.refine((path) => path === WORKDIR || isFolder(path), {
  error: 'Write a folder that is there.',
});

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** As images are asked for: a name or an address, with a port where it is not that of https. */
const HOST = /^(\[[0-9a-f:.]+\]|[^\s:/@?#[\]*]+)(:\d{1,5})?$/i;

const hosts = list.refine((entries) => entries.every((entry) => HOST.test(entry)), {
  error: 'Write hosts such as cdn.example.com, without https:// and without a path.',
});

export const settings = settingsOf({
  switch: 'MILLRACE_DOCUMENTS',
  variables: {
    MILLRACE_DOCUMENTS: setting(
      flag,
      'true',
      'Whether this process makes documents: its kinds, routes and LibreOffice processes.',
    ),
    MILLRACE_KEEP_DOCUMENTS: setting(
      time('1h'),
      '7d',
      'How long files and batches of documents are kept.',
    ),
    MILLRACE_OFFICE_PATH: unset(
      text,
      'Where LibreOffice is; unset, it is looked for in the usual places.',
    ),
    CONVERSION_TIMEOUT: setting(
      wholeNumber(1_000, 3_600_000),
      '60000',
      'How long one conversion may take, in milliseconds; then its process is killed.',
    ),
    CONVERSION_TIMEOUT_MS: unset(
      wholeNumber(1_000, 3_600_000),
      'The same under its other name; it counts where both are set.',
    ),
    CONVERSION_WORKDIR: setting(
      workdir,
      WORKDIR,
      'The folder for files under conversion, which has to be there.',
    ),
    CONVERSION_MAX_CONCURRENT: unset(
      wholeNumber(1, 64),
      'How many conversions run at the same time; unset, what cores and memory carry, at most 8.',
    ),
    ...storageVariables('DOCUMENTS', { what: 'files of documents', instead: 'database' }),
    IMAGE_ALLOWLIST: setting(
      hosts,
      '',
      'Hosts, separated by commas, from which documents may fetch images by https; none by default.',
    ),
    PDF_PASSWORD_KEYS: setting(
      secretKeys,
      '',
      'Keys for the passwords of PDFs, which are encrypted while their jobs are kept: ID:KEY, where KEY is 32 random bytes in base64 (openssl rand -base64 32), separated by commas, such as k2:…,k1:… The first one encrypts; older ones stay until their jobs are gone. Unset, only POST /generate takes a password.',
    ),
  },
  contradictions: (values) => storageContradictions('DOCUMENTS', values),
  secrets: (values) => [
    ...storageSecrets('DOCUMENTS', values),
    ...values.PDF_PASSWORD_KEYS.map(({ key }) => key.export().toString('base64')),
  ],
  read: (values): DocumentsConfig | null =>
    values.MILLRACE_DOCUMENTS
      ? {
          officePath: values.MILLRACE_OFFICE_PATH,
          timeoutMs: values.CONVERSION_TIMEOUT_MS ?? values.CONVERSION_TIMEOUT,
          workdir: values.CONVERSION_WORKDIR,
          slots: values.CONVERSION_MAX_CONCURRENT ?? defaultSlots(),
          imageHosts: values.IMAGE_ALLOWLIST,
          keepMs: values.MILLRACE_KEEP_DOCUMENTS,
          passwordKeys: values.PDF_PASSWORD_KEYS,
          storage: storageOf('DOCUMENTS', values),
        }
      : null,
});
