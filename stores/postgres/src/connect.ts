import pg from 'pg';

/** As libpq's sslmode. Its `allow` and `prefer` are left out: they give way to whoever cuts TLS off. */
export type TlsMode = 'disable' | 'require' | 'verify-ca' | 'verify-full';

export interface Tls {
  readonly mode: TlsMode;
  /** The authorities that are trusted, in PEM; without it, those that Node trusts. */
  readonly ca?: string;
}

export interface Credential {
  /** Asked for at each new connection, so that a password can change under a running pool. */
  password(): Promise<string>;
  /** The database did not accept the last one: what is kept of it is worth nothing. */
  refused?(): void;
}

export type ConnectOptions = ByUrl | ByConfig;

/** As a program connects that has a pool of its own. */
interface ByConfig {
  readonly config: pg.ClientConfig;
  readonly credential?: undefined;
}

interface ByUrl {
  readonly url: string;
  /** Without it, as the URL says. */
  readonly tls?: Tls;
  /** Without it, as the URL says. */
  readonly credential?: Credential;
}

/** Parameters that the pg package would read from a URL, and set above anything that it is given beside it. */
const TLS_PARAMETERS = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat'];

/** The database refuses the password (28P01) or the role (28000). */
const REFUSED = /^28/;

/**
 * The class of all clients of one database.
 *
 * A client that breaks emits `error`, whatever it is doing, and without a listener that ends the process. A pool
 * listens to the clients that lie idle and to no others, so every client has a listener from its birth on. Nothing is
 * lost by it: whoever waits for an answer learns it from the answer.
 */
export function clientClass({ credential }: ConnectOptions): typeof pg.Client {
  return class Client extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config);
      this.on('error', () => {});
      // Not by the config: the pg package prefers the password of the URL there, also where the URL has none.
      if (credential !== undefined)
        Object.assign(this, { password: () => passwordOf(credential) } satisfies pg.ClientConfig);
    }
  };
}

export function connectConfig(options: ConnectOptions): pg.ClientConfig {
  if ('config' in options) return options.config;
  const { url, tls } = options;
  if (tls === undefined) return { connectionString: url };
  const plain = new URL(url);
  for (const name of TLS_PARAMETERS) plain.searchParams.delete(name);
  return { connectionString: plain.href, ssl: sslOf(tls) };
}

export function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && REFUSED.test(String(error.code));
}

function sslOf({ mode, ca }: Tls): pg.ClientConfig['ssl'] {
  if (mode === 'disable') return false;
  // With an authority at hand libpq checks the certificate at `require` too, though not the name in it.
  if (mode === 'require' && ca === undefined) return { rejectUnauthorized: false };
  return {
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca }),
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}

/** Marked, so that whoever reads of it knows that the database was not even asked. */
async function passwordOf(credential: Credential): Promise<string> {
  try {
    return await credential.password();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw Object.assign(new Error(why, { cause: error }), { code: NO_PASSWORD });
  }
}

export const NO_PASSWORD = 'NO_PASSWORD';
