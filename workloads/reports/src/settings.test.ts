import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCatalogue } from './catalogue/catalogue.ts';
import { settings } from './settings.ts';
import { reports } from './workload.ts';

const URL = 'postgres://reader:hush@db.example/warehouse';
const S3 = { REPORTS_S3_ENDPOINT: 'https://s3.example', REPORTS_S3_BUCKET: 'exports' };
const KEY = { REPORTS_S3_KEY_ID: 'AKIA', REPORTS_S3_SECRET: 'whisper' };

function read(environment: Readonly<Record<string, string>>) {
  const values = Object.fromEntries(
    Object.entries(settings.variables).map(([name, schema]) => [
      name,
      schema.parse(environment[name]),
    ]),
  );
  return {
    config: settings.read(values),
    wrong: settings.contradictions?.(values) ?? [],
    secrets: settings.secrets?.(values) ?? [],
  };
}

test('nothing needs to be set: the sample, and files in the data folder', () => {
  const { config, wrong } = read({});
  expect(wrong).toEqual([]);
  expect(config).toMatchObject({
    source: null,
    storage: null,
    outputFolder: null,
    folder: 'reports',
  });
  expect(read({ MILLRACE_REPORTS: 'false' }).config).toBeNull();
});

test('how reports run: chunks as small as wanted, their retries, and how they are claimed', () => {
  const declared = (environment: Readonly<Record<string, string>>) => {
    const { config } = read(environment);
    if (config === null) throw new Error('no reports');
    const catalogue = createCatalogue({ folder: config.folder, defaults: { timeZone: 'UTC' } });
    const { kinds, pools } = reports.declare(config, { orgs: [] }, catalogue);
    return { chunk: config.chunk, retry: kinds[0]?.kind.retry, pool: pools?.[0] };
  };
  expect(declared({})).toMatchObject({
    chunk: { rows: 1_000 },
    retry: { backoff: 'linear', retries: 3, step: 1_000 },
    pool: { batch: 3, interval: { active: 5_000, idle: 5_000 } },
  });
  expect(
    declared({
      REPORTS_CHUNK_ROWS: '10',
      REPORTS_CHUNK_BYTES: '1',
      REPORTS_CHUNK_RETRIES: '7',
      REPORTS_CHUNK_RETRY_STEP: '250ms',
      REPORTS_POLL_INTERVAL: '1s',
      REPORTS_BATCH: '9',
    }),
  ).toMatchObject({
    chunk: { rows: 10, bytes: 1 },
    retry: { backoff: 'linear', retries: 7, step: 250 },
    pool: { batch: 9, interval: { active: 1_000, idle: 1_000 } },
  });
});

test('a database of one’s own, with TLS and its password in a file', () => {
  const url = `${URL.replace(':hush', '')}?sslmode=require`;
  const { config, wrong } = read({
    REPORTS_DATABASE_URL: url,
    REPORTS_DATABASE_SSL: 'verify-full',
    REPORTS_DATABASE_PASSWORD_FILE: '/run/secret',
  });
  expect(wrong).toEqual([]);
  expect(config?.source).toEqual({
    url,
    tls: { mode: 'verify-full' },
    passwordFile: '/run/secret',
  });
  expect(read({ REPORTS_DATABASE_URL: URL }).secrets).toContain(URL);
});

test.each([
  [{ REPORTS_DATABASE_SSL: 'require' }, /REPORTS_DATABASE_URL, which is not set/],
  [{ REPORTS_DATABASE_URL: URL, REPORTS_DATABASE_PASSWORD_FILE: '/a' }, /has a password too/],
  [{ REPORTS_DATABASE_URL: `${URL}?sslmode=prefer` }, /sslmode must be one of/],
  [{ REPORTS_DATABASE_URL: `${URL}?ssl=true` }, /write sslmode/],
  [
    { REPORTS_DATABASE_URL: URL, REPORTS_DATABASE_SSL: 'verify-ca' },
    /needs REPORTS_DATABASE_SSL_CA/,
  ],
  [S3, /REPORTS_S3_KEY_ID with .* is missing/],
  [KEY, /REPORTS_S3_ENDPOINT: is missing/],
  [{ ...S3, ...KEY, REPORTS_S3_CREDENTIALS_FILE: '/a' }, /Leave one/],
])('%o contradicts itself', (environment, sentence) => {
  expect(read(environment).wrong.join('\n')).toMatch(sentence);
});

test.each([
  [{ REPORTS_CHUNK_ROWS: '0' }, 'from 1 to'],
  [{ REPORTS_TOKEN_KEYS: 'k1:short' }, 'openssl rand -base64 32'],
  [{ REPORTS_TIME_ZONE: 'Mars/Olympus' }, 'time zone'],
  [{ REPORTS_S3_ENDPOINT: 's3.example' }, 'Write a URL'],
  [{ REPORTS_S3_SECRET_FILE: '/nowhere' }, 'path of a file'],
])('%o is refused', (environment, words) => {
  expect(() => read(environment as Record<string, string>)).toThrow(words);
});

test('object storage: the bucket is in the path, unless it is Amazon’s', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'secret'), 'whisper\n');
  const fromFile = {
    REPORTS_S3_KEY_ID: 'AKIA',
    REPORTS_S3_SECRET_FILE: join(folder, 'secret'),
  };
  const own = read({ ...S3, ...fromFile });
  expect(own.config?.storage).toMatchObject({
    addressing: 'path',
    credentials: { accessKeyId: 'AKIA', secretAccessKey: 'whisper' },
  });
  expect(own.secrets).toContain('whisper');
  const amazon = { ...S3, ...KEY, REPORTS_S3_ENDPOINT: 'https://s3.eu-west-1.amazonaws.com' };
  expect(read(amazon).config?.storage).toMatchObject({ addressing: 'host' });
  expect(read({ ...amazon, REPORTS_S3_PATH_STYLE: 'true' }).config?.storage).toMatchObject({
    addressing: 'path',
  });
});

const AZURE = {
  REPORTS_AZURE_ENDPOINT: 'https://acct.blob.core.windows.net',
  REPORTS_AZURE_CONTAINER: 'exports',
};

test('a container of Azure: with the managed identity, or with a key', () => {
  expect(read(AZURE)).toMatchObject({
    wrong: [],
    config: {
      storage: {
        kind: 'azure',
        container: 'exports',
        credentials: { endpoint: null, clientId: null },
      },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'millrace-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'key'), 'c2VjcmV0\n');
  const withKey = read({
    ...AZURE,
    REPORTS_AZURE_ACCOUNT: 'acct',
    REPORTS_AZURE_KEY_FILE: join(folder, 'key'),
  });
  expect(withKey.config?.storage).toMatchObject({
    credentials: { account: 'acct', key: 'c2VjcmV0' },
  });
  expect(withKey.secrets).toContain('c2VjcmV0');
  for (const wrong of [
    { REPORTS_AZURE_CONTAINER: 'exports' },
    { ...AZURE, REPORTS_AZURE_ACCOUNT: 'acct' },
    { REPORTS_AZURE_PREFIX: 'x' },
    { ...AZURE, ...S3, ...KEY },
  ])
    expect(read(wrong).wrong, JSON.stringify(wrong)).toHaveLength(1);
});
