import { onTestFinished } from 'vitest';
import {
  type CallReport,
  type ObjectStorage,
  type ObjectStorageConfig,
  type ObjectStorageError,
  type ObjectStorageParts,
  createObjectStorage,
} from '../src/index.ts';
import {
  type Scripted,
  type Step,
  createRecorder,
  openScripted,
  raw,
  errorOf as thrownBy,
} from '../../test/scripted.ts';

// A storage that says what the test wrote for it, over real HTTP.

export type Bucket = Scripted<string>;

export function openBucket(): Promise<Bucket> {
  return openScripted({
    loginPath: '/no-login',
    loginOf: (body) => body,
    tokenAnswer: () => null,
    otherwise: xml(404, error('NoSuchKey')),
    encoding: 'latin1',
  });
}

export function error(code: string, more = ''): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>Words about ${code}.</Message>${more}</Error>`;
}

export function xml(status: number, body: string, headers: Record<string, string> = {}): Step {
  return raw(status, body, { 'content-type': 'application/xml', ...headers });
}

export const EMPTY_LIST = xml(
  200,
  '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated></ListBucketResult>',
);

export const SECRET = 'very-secret-access-key';
export const TOKEN = 'very-secret-session-token';
export const START = Date.UTC(2026, 0, 1);

export interface Connected {
  readonly storage: ObjectStorage;
  readonly reports: CallReport[];
  readonly slept: number[];
}

export function connect(
  to: Pick<Bucket, 'url'>,
  config: Partial<ObjectStorageConfig> = {},
  parts: ObjectStorageParts = {},
): Connected {
  const { parts: recording, reports, slept } = createRecorder<CallReport>();
  const storage = createObjectStorage(
    {
      endpoint: to.url,
      region: 'eu-central-1',
      bucket: 'reports',
      prefix: 'out',
      credentials: { accessKeyId: 'KEY', secretAccessKey: SECRET, sessionToken: TOKEN },
      timeoutMs: 20_000,
      ...config,
    },
    { ...recording, now: () => START, ...parts },
  );
  onTestFinished(() => storage.close());
  return { storage, reports, slept };
}

export function errorOf(promise: Promise<unknown>): Promise<ObjectStorageError> {
  return thrownBy<ObjectStorageError>(promise);
}

export async function all<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const found: T[] = [];
  for await (const page of pages) found.push(...page);
  return found;
}

export async function whole(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}
