import { readFileSync } from 'node:fs';
import { type AzureIdentity, azureIdentityOf } from '@millrace/workload-kit';
import { z } from 'zod';

export type StorageConfig = S3Config | AzureConfig;

/** The container of REPORTS_AZURE_ENDPOINT. */
export interface AzureConfig {
  readonly kind: 'azure';
  readonly endpoint: string;
  readonly container: string;
  readonly prefix: string;
  /** The managed identity of the process where there is no key. */
  readonly credentials: { readonly account: string; readonly key: string } | AzureIdentity;
}

/** The object storage of REPORTS_S3_ENDPOINT. */
export interface S3Config {
  readonly kind: 's3';
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly addressing: 'path' | 'host';
  readonly prefix: string;
  readonly credentials:
    | { readonly accessKeyId: string; readonly secretAccessKey: string }
    | { readonly file: string };
  readonly plainHttp: boolean;
}

export interface StorageValues {
  readonly REPORTS_S3_ENDPOINT?: string | undefined;
  readonly REPORTS_S3_BUCKET?: string | undefined;
  readonly REPORTS_S3_REGION: string;
  readonly REPORTS_S3_PREFIX?: string | undefined;
  readonly REPORTS_S3_KEY_ID?: string | undefined;
  readonly REPORTS_S3_SECRET?: string | undefined;
  readonly REPORTS_S3_SECRET_FILE?: string | undefined;
  readonly REPORTS_S3_CREDENTIALS_FILE?: string | undefined;
  readonly REPORTS_S3_PATH_STYLE?: boolean | undefined;
  readonly REPORTS_S3_PLAIN_HTTP: boolean;
  readonly REPORTS_AZURE_ENDPOINT?: string | undefined;
  readonly REPORTS_AZURE_CONTAINER?: string | undefined;
  readonly REPORTS_AZURE_PREFIX?: string | undefined;
  readonly REPORTS_AZURE_ACCOUNT?: string | undefined;
  readonly REPORTS_AZURE_KEY_FILE?: string | undefined;
}

export const secretFile = z.string().transform((path, context) => {
  try {
    const secret = readFileSync(path, 'utf8').trim();
    if (secret !== '') return secret;
  } catch {
    // Said below, with an empty file.
  }
  context.issues.push({ code: 'custom', input: '', message: 'Write the path of a file with it.' });
  return z.NEVER;
});

export function storageOf(values: StorageValues): StorageConfig | null {
  return azureOf(values) ?? s3Of(values);
}

/** Without a key, the managed identity that the variables of the server tell of signs in. */
function azureOf(values: StorageValues): AzureConfig | null {
  const { REPORTS_AZURE_ENDPOINT: endpoint, REPORTS_AZURE_CONTAINER: container } = values;
  if (endpoint === undefined || container === undefined) return null;
  const { REPORTS_AZURE_ACCOUNT: account, REPORTS_AZURE_KEY_FILE: key } = values;
  return {
    kind: 'azure',
    endpoint,
    container,
    prefix: values.REPORTS_AZURE_PREFIX ?? '',
    credentials:
      account === undefined || key === undefined
        ? azureIdentityOf({ ...values })
        : { account, key },
  };
}

function s3Of(values: StorageValues): S3Config | null {
  const { REPORTS_S3_ENDPOINT: endpoint, REPORTS_S3_BUCKET: bucket } = values;
  const credentials = credentialsOf(values);
  if (endpoint === undefined || bucket === undefined || credentials === null) return null;
  const isAmazon = /\.amazonaws\.com(\.cn)?$/.test(new URL(endpoint).hostname);
  return {
    kind: 's3',
    endpoint,
    bucket,
    region: values.REPORTS_S3_REGION,
    addressing: (values.REPORTS_S3_PATH_STYLE ?? !isAmazon) ? 'path' : 'host',
    prefix: values.REPORTS_S3_PREFIX ?? '',
    credentials,
    plainHttp: values.REPORTS_S3_PLAIN_HTTP,
  };
}

function credentialsOf(values: StorageValues): S3Config['credentials'] | null {
  const { REPORTS_S3_CREDENTIALS_FILE: file, REPORTS_S3_KEY_ID: accessKeyId } = values;
  const secretAccessKey = values.REPORTS_S3_SECRET ?? values.REPORTS_S3_SECRET_FILE;
  if (file !== undefined) return { file };
  if (accessKeyId === undefined || secretAccessKey === undefined) return null;
  return { accessKeyId, secretAccessKey };
}

export function storageContradictions(values: StorageValues): string[] {
  const { REPORTS_S3_CREDENTIALS_FILE: file, REPORTS_S3_KEY_ID: id } = values;
  const secret = values.REPORTS_S3_SECRET ?? values.REPORTS_S3_SECRET_FILE;
  const hasKey = id !== undefined && secret !== undefined;
  const parts = {
    REPORTS_S3_ENDPOINT: values.REPORTS_S3_ENDPOINT !== undefined,
    REPORTS_S3_BUCKET: values.REPORTS_S3_BUCKET !== undefined,
    'REPORTS_S3_KEY_ID with REPORTS_S3_SECRET or REPORTS_S3_SECRET_FILE, or REPORTS_S3_CREDENTIALS_FILE':
      hasKey || file !== undefined,
  };
  const isAny = Object.values(parts).some(Boolean) || id !== undefined || secret !== undefined;
  const missing = Object.entries(parts).flatMap(([name, isThere]) => (isThere ? [] : [name]));
  const isTwice =
    (file !== undefined && (id !== undefined || secret !== undefined)) ||
    (values.REPORTS_S3_SECRET !== undefined && values.REPORTS_S3_SECRET_FILE !== undefined);
  return [
    ...azureContradictions(values, isAny),
    ...(isAny ? missing.map((name) => `${name}: is missing, for the object storage.`) : []),
    ...(isTwice
      ? [
          'REPORTS_S3_SECRET, REPORTS_S3_SECRET_FILE, REPORTS_S3_CREDENTIALS_FILE: are ways to say the same. Leave one.',
        ]
      : []),
  ];
}

function azureContradictions(values: StorageValues, isS3: boolean): string[] {
  const of = (name: keyof StorageValues) => values[name] !== undefined;
  const isAzure = of('REPORTS_AZURE_ENDPOINT') || of('REPORTS_AZURE_CONTAINER');
  const wrong: [boolean, string][] = [
    [
      of('REPORTS_AZURE_ENDPOINT') !== of('REPORTS_AZURE_CONTAINER'),
      'REPORTS_AZURE_ENDPOINT, REPORTS_AZURE_CONTAINER: go together.',
    ],
    [
      of('REPORTS_AZURE_ACCOUNT') !== of('REPORTS_AZURE_KEY_FILE'),
      'REPORTS_AZURE_ACCOUNT, REPORTS_AZURE_KEY_FILE: go together; without both, the managed identity signs in.',
    ],
    [
      !isAzure && (of('REPORTS_AZURE_ACCOUNT') || of('REPORTS_AZURE_PREFIX')),
      'REPORTS_AZURE_ENDPOINT: is missing, for the object storage.',
    ],
    [
      isAzure && isS3,
      'REPORTS_AZURE_ENDPOINT, REPORTS_S3_ENDPOINT: files are in one place. Leave one.',
    ],
  ];
  return wrong.filter(([isWrong]) => isWrong).map(([, problem]) => problem);
}
