import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The object storage of REPORTS_S3_ENDPOINT. */
export interface StorageConfig {
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
  const { REPORTS_S3_ENDPOINT: endpoint, REPORTS_S3_BUCKET: bucket } = values;
  const credentials = credentialsOf(values);
  if (endpoint === undefined || bucket === undefined || credentials === null) return null;
  const isAmazon = /\.amazonaws\.com(\.cn)?$/.test(new URL(endpoint).hostname);
  return {
    endpoint,
    bucket,
    region: values.REPORTS_S3_REGION,
    addressing: (values.REPORTS_S3_PATH_STYLE ?? !isAmazon) ? 'path' : 'host',
    prefix: values.REPORTS_S3_PREFIX ?? '',
    credentials,
    plainHttp: values.REPORTS_S3_PLAIN_HTTP,
  };
}

function credentialsOf(values: StorageValues): StorageConfig['credentials'] | null {
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
    ...(isAny ? missing.map((name) => `${name}: is missing, for the object storage.`) : []),
    ...(isTwice
      ? [
          'REPORTS_S3_SECRET, REPORTS_S3_SECRET_FILE, REPORTS_S3_CREDENTIALS_FILE: are ways to say the same. Leave one.',
        ]
      : []),
  ];
}
