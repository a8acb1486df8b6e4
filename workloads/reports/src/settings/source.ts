import type { Tls, TlsMode } from '@millrace/store-postgres';
import { TLS_MODES, certificates } from '@millrace/workload-kit';

/** The database of REPORTS_DATABASE_URL. */
export interface SourceConfig {
  readonly url: string;
  /** Null: nothing was said of it, and the driver decides. */
  readonly tls: Tls | null;
  readonly passwordFile: string | null;
}

export interface SourceValues {
  readonly REPORTS_DATABASE_URL?: string | undefined;
  readonly REPORTS_DATABASE_SSL?: TlsMode | undefined;
  readonly REPORTS_DATABASE_SSL_CA?: string | undefined;
  readonly REPORTS_DATABASE_PASSWORD_FILE?: string | undefined;
}

export function sourceOf(values: SourceValues): SourceConfig | null {
  const { REPORTS_DATABASE_URL: url } = values;
  if (url === undefined) return null;
  const mode = modeOf(values);
  const ca = authorityOf(values);
  return {
    url,
    tls: mode === undefined ? null : { mode, ...(ca !== undefined && { ca }) },
    passwordFile: values.REPORTS_DATABASE_PASSWORD_FILE ?? null,
  };
}

function modeOf(values: SourceValues): TlsMode | undefined {
  const inUrl = TLS_MODES.find((mode) => mode === inUrlOf(values, 'sslmode'));
  return values.REPORTS_DATABASE_SSL ?? inUrl;
}

/** `system` is libpq's word for the authorities that are trusted anyway. */
function authorityOf(values: SourceValues): string | undefined {
  const file = inUrlOf(values, 'sslrootcert');
  const isFile = file !== null && file !== 'system';
  return values.REPORTS_DATABASE_SSL_CA ?? (isFile ? certificates.safeParse(file).data : undefined);
}

/** What is wrong only together; the same as of DATABASE_URL. */
export function sourceContradictions(values: SourceValues): string[] {
  const { REPORTS_DATABASE_URL: url, REPORTS_DATABASE_PASSWORD_FILE: file } = values;
  if (url === undefined)
    return (
      ['REPORTS_DATABASE_SSL', 'REPORTS_DATABASE_SSL_CA', 'REPORTS_DATABASE_PASSWORD_FILE'] as const
    )
      .filter((name) => values[name] !== undefined)
      .map((name) => `${name}: is of the database of REPORTS_DATABASE_URL, which is not set.`);
  const has = (name: string) => inUrlOf(values, name) !== null;
  const mode = modeOf(values);
  const inUrl = inUrlOf(values, 'sslmode');
  const hasAuthority = values.REPORTS_DATABASE_SSL_CA !== undefined || has('sslrootcert');
  const wrong: [boolean, string][] = [
    [
      inUrl !== null && !(TLS_MODES as readonly string[]).includes(inUrl),
      `REPORTS_DATABASE_URL: its sslmode must be one of ${TLS_MODES.join(', ')}.`,
    ],
    [
      has('ssl') || has('sslcert') || has('sslkey'),
      'REPORTS_DATABASE_URL: write sslmode, or REPORTS_DATABASE_SSL, in place of ssl; certificates of clients are not supported.',
    ],
    [
      mode === 'verify-ca' && authorityOf(values) === undefined,
      'REPORTS_DATABASE_SSL: verify-ca needs REPORTS_DATABASE_SSL_CA: of the public authorities anyone gets a certificate. Or write verify-full.',
    ],
    [
      hasAuthority && (mode === undefined || mode === 'disable'),
      'REPORTS_DATABASE_SSL_CA: is for TLS. Set REPORTS_DATABASE_SSL to verify-full.',
    ],
    [
      file !== undefined && (new URL(url).password !== '' || has('password')),
      'REPORTS_DATABASE_PASSWORD_FILE: REPORTS_DATABASE_URL has a password too. Leave one of them out.',
    ],
  ];
  return wrong.filter(([isWrong]) => isWrong).map(([, problem]) => problem);
}

function inUrlOf({ REPORTS_DATABASE_URL: url }: SourceValues, name: string): string | null {
  return url === undefined ? null : new URL(url).searchParams.get(name);
}
