import type { Tls, TlsMode } from '@millrace/store-postgres';
import {
  type AzureIdentity,
  TLS_MODES,
  azureIdentityOf,
  certificates,
} from '@millrace/workload-kit';
import type { Environment } from './environment.ts';

/** The settings of the Postgres at DATABASE_URL. */
export interface DatabaseConfig {
  readonly poolSize: number;
  /** Null: nothing was said of it, and the driver decides. */
  readonly tls: Tls | null;
  /** Null: it stands in the URL, or there is none. */
  readonly credential: CredentialConfig | null;
}

export type CredentialConfig =
  | { readonly from: 'file'; readonly path: string }
  | ({ readonly from: 'azure' } & AzureIdentity);

type Values = Pick<
  Environment,
  | 'DATABASE_URL'
  | 'DATABASE_POOL_SIZE'
  | 'DATABASE_SSL'
  | 'DATABASE_SSL_CA'
  | 'DATABASE_PASSWORD_FILE'
  | 'DATABASE_AUTH'
  | 'IDENTITY_ENDPOINT'
  | 'IDENTITY_HEADER'
  | 'AZURE_CLIENT_ID'
>;

export function databaseOf(values: Values): DatabaseConfig {
  const mode = modeOf(values);
  const ca = authorityOf(values);
  return {
    poolSize: values.DATABASE_POOL_SIZE,
    tls: mode === undefined ? null : { mode, ...(ca !== undefined && { ca }) },
    credential: credentialOf(values),
  };
}

/** A token lets its bearer in: it is shown only to the right server, unless someone says otherwise. */
function modeOf(values: Values): TlsMode | undefined {
  const inUrl = TLS_MODES.find((mode) => mode === inUrlOf(values, 'sslmode'));
  const usual = values.DATABASE_AUTH === 'azure' ? 'verify-full' : undefined;
  return values.DATABASE_SSL ?? inUrl ?? usual;
}

/** `system` is libpq's word for the authorities that are trusted anyway. */
function authorityOf(values: Values): string | undefined {
  const file = inUrlOf(values, 'sslrootcert');
  const isFile = file !== null && file !== 'system';
  return values.DATABASE_SSL_CA ?? (isFile ? certificates.safeParse(file).data : undefined);
}

function credentialOf(values: Values): CredentialConfig | null {
  const { DATABASE_PASSWORD_FILE: path } = values;
  if (path !== undefined) return { from: 'file', path };
  if (values.DATABASE_AUTH === 'password') return null;
  return { from: 'azure', ...azureIdentityOf(values) };
}

/** Checks across several settings. */
export function databaseContradictions(values: Values): string[] {
  const isAzure = values.DATABASE_AUTH === 'azure';
  const { DATABASE_PASSWORD_FILE: file } = values;
  const has = (name: string) => inUrlOf(values, name) !== null;
  const url = values.DATABASE_URL === undefined ? null : new URL(values.DATABASE_URL);
  if (url === null) {
    const idle = (['DATABASE_SSL', 'DATABASE_SSL_CA', 'DATABASE_PASSWORD_FILE'] as const).filter(
      (name) => values[name] !== undefined,
    );
    return [...idle, ...(isAzure ? ['DATABASE_AUTH'] : [])].map(
      (name) => `${name}: is of the database of DATABASE_URL, which is not set.`,
    );
  }
  const hasPassword = url.password !== '' || has('password');
  const mode = modeOf(values);
  const hasAuthority = values.DATABASE_SSL_CA !== undefined || has('sslrootcert');
  const wrong: [boolean, string][] = [
    ...inUrlProblems(values),
    [
      mode === 'verify-ca' && authorityOf(values) === undefined,
      'DATABASE_SSL: verify-ca needs DATABASE_SSL_CA: of the public authorities anyone gets a certificate. Or write verify-full.',
    ],
    [
      hasAuthority && (mode === undefined || mode === 'disable'),
      'DATABASE_SSL_CA: is for TLS. Set DATABASE_SSL to verify-full.',
    ],
    [
      file !== undefined && hasPassword,
      'DATABASE_PASSWORD_FILE: DATABASE_URL has a password too. Leave one of them out.',
    ],
    [
      isAzure && hasPassword,
      'DATABASE_AUTH: azure needs no password. Leave it out of DATABASE_URL.',
    ],
    [isAzure && file !== undefined, 'DATABASE_AUTH: azure contradicts DATABASE_PASSWORD_FILE.'],
    [
      isAzure && url.username === '' && !has('user'),
      'DATABASE_AUTH: azure needs the role of the identity in DATABASE_URL, such as postgres://millrace@host/name.',
    ],
    [
      isAzure && mode === 'disable',
      'DATABASE_SSL: azure needs TLS, since the token would be sent in clear text.',
    ],
    [
      isAzure &&
        (values.IDENTITY_ENDPOINT === undefined) !== (values.IDENTITY_HEADER === undefined),
      'IDENTITY_ENDPOINT, IDENTITY_HEADER: go together; App Service and Container Apps set both.',
    ],
  ];
  return wrong.filter(([isWrong]) => isWrong).map(([, problem]) => problem);
}

function inUrlProblems(values: Values): [boolean, string][] {
  const inUrl = (name: string) => inUrlOf(values, name);
  const mode = inUrl('sslmode');
  const authority = inUrl('sslrootcert');
  return [
    [
      mode !== null && !(TLS_MODES as readonly string[]).includes(mode),
      `DATABASE_URL: its sslmode must be one of ${TLS_MODES.join(', ')}.`,
    ],
    [
      inUrl('ssl') !== null,
      'DATABASE_URL: write sslmode, as libpq has it, or DATABASE_SSL, in place of ssl.',
    ],
    [
      inUrl('sslcert') !== null || inUrl('sslkey') !== null,
      'DATABASE_URL: certificates of clients (sslcert, sslkey) are not supported. Use DATABASE_PASSWORD_FILE or DATABASE_AUTH.',
    ],
    [
      authority !== null && authority !== 'system' && !certificates.safeParse(authority).success,
      'DATABASE_URL: its sslrootcert is no file with certificates in PEM.',
    ],
  ];
}

function inUrlOf({ DATABASE_URL: url }: Values, name: string): string | null {
  return url === undefined ? null : new URL(url).searchParams.get(name);
}

/** As it stands in the URL, and as drivers show it. */
export function passwordsOf(url: string | null): string[] {
  const { password } = url === null ? { password: '' } : new URL(url);
  if (password === '') return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
