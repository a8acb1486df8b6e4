import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type AzureIdentity, azureIdentityOf } from '../azure-tokens.ts';
import { flag, setting, text, unset } from '../settings.ts';

/** Where a workload keeps its files, as variables that begin with its own word, such as REPORTS_S3_BUCKET. */

export type StorageConfig = S3Config | AzureConfig;

/** A container of Azure Blob Storage. */
export interface AzureConfig {
  readonly kind: 'azure';
  readonly endpoint: string;
  readonly container: string;
  readonly prefix: string;
  /** The managed identity of the process where there is no key. */
  readonly credentials: { readonly account: string; readonly key: string } | AzureIdentity;
}

/** A bucket of S3-compatible storage. */
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

/** A value that is kept in a file. */
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

function address(example: string) {
  return z.string().refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), {
    error: `Write a URL such as ${example}.`,
  });
}

function variablesFor(what: string, instead: string) {
  return {
    S3_ENDPOINT: unset(
      address('https://s3.eu-central-1.amazonaws.com, without the bucket'),
      `An S3-compatible object storage for ${what}, in place of the ${instead}.`,
    ),
    S3_BUCKET: unset(text, 'Its bucket, which has to be there.'),
    S3_REGION: setting(text, 'us-east-1', 'Its region.'),
    S3_PREFIX: unset(text, 'What the keys of all objects begin with, such as exports.'),
    S3_KEY_ID: unset(text, 'The id of the access key.'),
    S3_SECRET: unset(text, 'The secret of the access key.'),
    S3_SECRET_FILE: unset(secretFile, 'A file with the secret, in place of the secret.'),
    S3_CREDENTIALS_FILE: unset(
      text,
      "A file with both as Amazon's tools write it, read for each request; in place of id and secret.",
    ),
    S3_PATH_STYLE: unset(
      flag,
      "Whether the bucket is in the path (true) or in the host's name (false); unset, in the path unless the endpoint is Amazon's.",
    ),
    S3_PLAIN_HTTP: setting(
      flag,
      'false',
      'Whether an endpoint beyond this machine may be http: whoever listens on the line reads the files.',
    ),
    AZURE_ENDPOINT: unset(
      address('https://ACCOUNT.blob.core.windows.net, without the container'),
      `A container of Azure Blob Storage for ${what}: the address of the account, such as https://ACCOUNT.blob.core.windows.net.`,
    ),
    AZURE_CONTAINER: unset(text, 'Its container, which has to be there.'),
    AZURE_PREFIX: unset(text, 'What the names of all blobs begin with, such as exports.'),
    AZURE_ACCOUNT: unset(
      text,
      'The name of the account, to sign in with its key; unset, the managed identity of the process signs in (AZURE_CLIENT_ID where there are several).',
    ),
    AZURE_KEY_FILE: unset(secretFile, 'A file with the key of the account.'),
  };
}

type Variables = ReturnType<typeof variablesFor>;
type Named<Word extends string> = {
  [Name in keyof Variables as `${Word}_${Name}`]: Variables[Name];
};
type Values = { readonly [Name in keyof Variables]: z.output<Variables[Name]> };
type Given = Readonly<Record<string, unknown>>;

/** `instead`: where files are without any of them. */
export function storageVariables<Word extends string>(
  word: Word,
  { what, instead }: { readonly what: string; readonly instead: string },
): Named<Word> {
  return Object.fromEntries(
    Object.entries(variablesFor(what, instead)).map(([name, schema]) => [
      `${word}_${name}`,
      schema,
    ]),
  ) as Named<Word>;
}

/** Null where none is set. */
export function storageOf(word: string, given: Given): StorageConfig | null {
  const values = valuesOf(word, given);
  return azureOf(values, given) ?? s3Of(values);
}

export function storageSecrets(word: string, given: Given): string[] {
  const { S3_SECRET, S3_SECRET_FILE, AZURE_KEY_FILE } = valuesOf(word, given);
  return [S3_SECRET, S3_SECRET_FILE, AZURE_KEY_FILE].flatMap((secret) => secret ?? []);
}

/** The values of one word's variables, without the word: they were read by the schemas above. */
function valuesOf(word: string, given: Given): Values {
  const own = Object.entries(given).flatMap(([name, value]) =>
    name.startsWith(`${word}_`) ? [[name.slice(word.length + 1), value]] : [],
  );
  return Object.fromEntries(own) as Values;
}

/** Without a key, the managed identity that the variables of the server tell of signs in. */
function azureOf(values: Values, given: Given): AzureConfig | null {
  const { AZURE_ENDPOINT: endpoint, AZURE_CONTAINER: container } = values;
  if (endpoint === undefined || container === undefined) return null;
  const { AZURE_ACCOUNT: account, AZURE_KEY_FILE: key } = values;
  return {
    kind: 'azure',
    endpoint,
    container,
    prefix: values.AZURE_PREFIX ?? '',
    credentials:
      account === undefined || key === undefined ? azureIdentityOf(given) : { account, key },
  };
}

function s3Of(values: Values): S3Config | null {
  const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket } = values;
  const credentials = credentialsOf(values);
  if (endpoint === undefined || bucket === undefined || credentials === null) return null;
  const isAmazon = /\.amazonaws\.com(\.cn)?$/.test(new URL(endpoint).hostname);
  return {
    kind: 's3',
    endpoint,
    bucket,
    region: values.S3_REGION,
    addressing: (values.S3_PATH_STYLE ?? !isAmazon) ? 'path' : 'host',
    prefix: values.S3_PREFIX ?? '',
    credentials,
    plainHttp: values.S3_PLAIN_HTTP,
  };
}

function credentialsOf(values: Values): S3Config['credentials'] | null {
  const { S3_CREDENTIALS_FILE: file, S3_KEY_ID: accessKeyId } = values;
  const secretAccessKey = values.S3_SECRET ?? values.S3_SECRET_FILE;
  if (file !== undefined) return { file };
  if (accessKeyId === undefined || secretAccessKey === undefined) return null;
  return { accessKeyId, secretAccessKey };
}

export function storageContradictions(word: string, given: Given): string[] {
  const values = valuesOf(word, given);
  const { S3_CREDENTIALS_FILE: file, S3_KEY_ID: id } = values;
  const secret = values.S3_SECRET ?? values.S3_SECRET_FILE;
  const hasKey = id !== undefined && secret !== undefined;
  const parts = {
    [`${word}_S3_ENDPOINT`]: values.S3_ENDPOINT !== undefined,
    [`${word}_S3_BUCKET`]: values.S3_BUCKET !== undefined,
    [`${word}_S3_KEY_ID with ${word}_S3_SECRET or ${word}_S3_SECRET_FILE, or ${word}_S3_CREDENTIALS_FILE`]:
      hasKey || file !== undefined,
  };
  const isAny = Object.values(parts).some(Boolean) || id !== undefined || secret !== undefined;
  const missing = Object.entries(parts).flatMap(([name, isThere]) => (isThere ? [] : [name]));
  const isTwice =
    (file !== undefined && (id !== undefined || secret !== undefined)) ||
    (values.S3_SECRET !== undefined && values.S3_SECRET_FILE !== undefined);
  return [
    ...azureContradictions(word, values, isAny),
    ...(isAny ? missing.map((name) => `${name}: is missing, for the object storage.`) : []),
    ...(isTwice
      ? [
          `${word}_S3_SECRET, ${word}_S3_SECRET_FILE, ${word}_S3_CREDENTIALS_FILE: are ways to say the same. Leave one.`,
        ]
      : []),
  ];
}

function azureContradictions(word: string, values: Values, isS3: boolean): string[] {
  const of = (name: keyof Values) => values[name] !== undefined;
  const isAzure = of('AZURE_ENDPOINT') || of('AZURE_CONTAINER');
  const wrong: [boolean, string][] = [
    [
      of('AZURE_ENDPOINT') !== of('AZURE_CONTAINER'),
      `${word}_AZURE_ENDPOINT, ${word}_AZURE_CONTAINER: go together.`,
    ],
    [
      of('AZURE_ACCOUNT') !== of('AZURE_KEY_FILE'),
      `${word}_AZURE_ACCOUNT, ${word}_AZURE_KEY_FILE: go together; without both, the managed identity signs in.`,
    ],
    [
      !isAzure && (of('AZURE_ACCOUNT') || of('AZURE_PREFIX')),
      `${word}_AZURE_ENDPOINT: is missing, for the object storage.`,
    ],
    [
      isAzure && isS3,
      `${word}_AZURE_ENDPOINT, ${word}_S3_ENDPOINT: files are in one place. Leave one.`,
    ],
  ];
  return wrong.filter(([isWrong]) => isWrong).map(([, problem]) => problem);
}
