import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ISSUER, problems } from '../../test/config.ts';
import { readConfig } from './config.ts';
import { environment } from './environment.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Made on the spot: what a certificate says matters to nobody here. */
function certificate(): string {
  const made = execFileSync(
    'openssl',
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=a -keyout /dev/null'.split(
      ' ',
    ),
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  return made.slice(made.indexOf('-----BEGIN CERT'));
}

describe('the configuration', () => {
  test('needs nothing', () => {
    expect(readConfig({ PATH: '/bin', HOME: '/root' })).toEqual({
      environment: 'sandbox',
      settings: expect.any(Array),
      file: null,
      marketingCloudPage: null,
      host: '127.0.0.1',
      port: 3000,
      dataFolder: '.millrace',
      databaseUrl: null,
      database: { poolSize: 10, tls: null, credential: null },
      durable: true,
      migrate: true,
      keepAuditMs: 400 * 86_400_000,
      jobsFolder: './jobs',
      jobsFolderNamed: false,
      role: 'all',
      pools: [
        { name: 'default', concurrency: 20, batch: 20, interval: { active: 5_000, idle: 15_000 } },
      ],
      leaseMs: 120_000,
      shutdownGraceMs: 300_000,
      webhook: { secret: null, allow: [] },
      identity: { mode: 'sandbox' },
      tenantClaim: null,
      callerClaims: ['county'],
      workloads: new Map([
        [
          'documents',
          {
            officePath: undefined,
            timeoutMs: 60_000,
            workdir: '/tmp',
            slots: expect.any(Number),
            imageHosts: [],
            passwordKeys: [],
            storage: null,
            keepMs: 7 * 86_400_000,
          },
        ],
        // The rest is held against docs/configuration.md below.
        ['queries', expect.objectContaining({ accounts: [], concurrency: 50 })],
        ['reports', expect.objectContaining({ source: null, storage: null, concurrency: 2 })],
        ['pipelines', expect.objectContaining({ folder: 'pipelines', mail: null })],
      ]),
      salesforce: {
        orgs: [],
        sandbox: false,
        intervalMs: 15_000,
        idleIntervalMs: 60_000,
        batch: 20,
        leaseMs: 120_000,
        retries: 3,
      },
      redis: null,
      rateLimit: 30_000,
      generateLimit: 10_000_000,
      streamsPerCaller: 100,
      telemetry: {
        enabled: true,
        azureConnectionString: null,
        otlpEndpoint: null,
        tracesPerSecond: 50,
      },
      metrics: null,
      runningFolder: expect.stringMatching(/\/\.local\/state\/millrace\/running$/),
      logLevel: 'info',
      production: false,
      secrets: [],
    });
  });

  test('tells the command line of a server on this machine, and not of one in production', () => {
    const issuer = { ISSUER: 'https://i', AUDIENCE: 'a', JWKS_URI: 'https://i/keys' };
    const folder = (env: Record<string, string>) =>
      readConfig({ XDG_STATE_HOME: '/state', ...issuer, ...env }).runningFolder;
    expect(folder({})).toBe('/state/millrace/running');
    expect(folder({ NODE_ENV: 'production' })).toBeNull();
    expect(folder({ HOST: '0.0.0.0' })).toBeNull();
  });

  test('takes an empty value as none', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: ' ', MILLRACE_LEASE: '' })).toEqual(readConfig({}));
  });

  test.each([
    [{}, 3],
    [{ POLLER_MAX_ATTEMPTS: '5' }, 5],
    [{ POLLER_RETRIES: '0' }, 0],
    [{ POLLER_MAX_ATTEMPTS: '5', POLLER_RETRIES: '0' }, 0],
  ])('counts the retries of an org from %j as %i', (given, retries) => {
    expect(readConfig(given).salesforce.retries).toBe(retries);
  });

  test('reads what is set', () => {
    const url = 'postgres://ada:p%40ssw0rd@db.example:5433/queue';
    const config = readConfig({
      DATABASE_URL: url,
      MILLRACE_DURABLE: 'false',
      MILLRACE_ROLE: 'worker',
      MILLRACE_LEASE: '90s',
      MILLRACE_POLL_IDLE: '1m',
      MILLRACE_POOLS:
        '[{"name":"slow","kinds":["report"],"concurrency":2,"interval":{"active":"5s","idle":30000},"pauseWindows":[{"cron":"0 1 * * *","lasts":"1h"}]}]',
      MILLRACE_WEBHOOK_SECRET: SECRET,
      MILLRACE_WEBHOOK_ALLOW: 'localhost:8080, intranet ,',
      NODE_ENV: 'production',
      ...ISSUER,
    });
    expect(config).toMatchObject({
      databaseUrl: url,
      durable: false,
      leaseMs: 90_000,
      production: true,
      webhook: {
        allow: [
          { host: 'localhost', port: 8080 },
          { host: 'intranet', port: null },
        ],
      },
    });
    expect(config.pools).toMatchObject([
      { interval: { idle: 60_000 } },
      {
        name: 'slow',
        kinds: ['report'],
        interval: { active: 5_000, idle: 30_000 },
        pauseWindows: [{ lasts: 3_600_000 }],
      },
    ]);
    expect(config.webhook.secret?.length).toBe(32);
    expect(config.secrets).toEqual([SECRET, url, 'p%40ssw0rd', 'p@ssw0rd']);
  });

  test('names the setting that was probably meant', () => {
    expect(problems({ MILLRACE_LEAS: '1m' })).toEqual([
      'MILLRACE_LEAS: there is no such setting. Did you mean MILLRACE_LEASE?',
    ]);
    expect(problems({ MILLRACE_CONCURENCY: '4' })[0]).toContain('MILLRACE_CONCURRENCY');
    expect(problems({ MILLRACE_XYZZY_PLUGH_FROTZ: '4' })).toEqual([
      'MILLRACE_XYZZY_PLUGH_FROTZ: there is no such setting.',
    ]);
  });

  test('leaves the settings of the command line alone', () => {
    const theirs = { MILLRACE_URL: 'http://h', MILLRACE_TOKEN: 't', MILLRACE_CLIENT_SECRET: 's' };
    expect(problems(theirs)).toEqual([]);
  });

  test('tells everything that is wrong at once', () => {
    const found = problems({
      PORT: '99999',
      MILLRACE_LEASE: 'soon',
      MILLRACE_ROLE: 'boss',
      LOG_LEVEL: 'loud',
      MILLRACE_NOPE: '1',
    });
    expect(found.map((line) => line.split(':')[0])).toEqual([
      'MILLRACE_NOPE',
      'PORT',
      'MILLRACE_ROLE',
      'MILLRACE_LEASE',
      'LOG_LEVEL',
    ]);
  });

  test.each(['2', 'soon', '-2m', '2 s'])('says in which forms a time is written: %j', (lease) => {
    expect(() => readConfig({ MILLRACE_LEASE: lease })).toThrow(
      'MILLRACE_LEASE: Write a number with its unit, such as 500ms, 2s, 5m, 24h or 7d.',
    );
  });

  test('says that what is to be JSON is not', () => {
    expect(problems({ MILLRACE_POOLS: 'batch' })).toEqual([
      'MILLRACE_POOLS: Write JSON; this is not.',
    ]);
  });

  test.each<Record<string, string>>([
    { PORT: '-1' },
    { PORT: '80.5' },
    { PORT: 'http' },
    { MILLRACE_LEASE: '0s' },
    { MILLRACE_LEASE: '-2m' },
    { MILLRACE_LEASE: '100' },
    { MILLRACE_CONCURRENCY: '0' },
    { MILLRACE_POOLS: 'not json' },
    { MILLRACE_POOLS: '{}' },
    { MILLRACE_POOLS: '[{"name":"a"}]' },
    { MILLRACE_POOLS: '[{"name":"a","kinds":["k"],"batchs":3}]' },
    { MILLRACE_POOLS: '[{"name":"default","kinds":["k"]}]' },
    { DATABASE_URL: 'mysql://host/db' },
    { DATABASE_URL: 'postgres://ho st' },
    { MILLRACE_WEBHOOK_SECRET: 'too-short' },
    { MILLRACE_WEBHOOK_ALLOW: 'http://host' },
    { AUTH_BYPASS_DEVELOPMENT: 'yes' },
    { ENABLE_TELEMETRY: '1' },
    { MILLRACE_RATE_LIMIT: '0' },
    { MILLRACE_DOCUMENTS: 'no' },
    { CONVERSION_TIMEOUT: '60s' },
    { CONVERSION_MAX_CONCURRENT: '0' },
    { MILLRACE_METRICS_PORT: 'prometheus' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
    { ...ISSUER, JWKS_URI: 'http://login.example/t/keys' },
    { ...ISSUER, JWKS_URI: 'file:///etc/passwd' },
    { ...ISSUER, ISSUER: ',' },
    { ...ISSUER, AUDIENCE: ' , ' },
    { MILLRACE_DATA: '/proc/x' },
    { CONVERSION_WORKDIR: '/nowhere/at/all' },
    { CONVERSION_WORKDIR: process.execPath },
    { IMAGE_ALLOWLIST: 'https://a/b' },
    { IMAGE_ALLOWLIST: 'cdn.example.com,*.example.com' },
    { MILLRACE_ROLE: 'api' },
    { MIGRATE: 'no' },
    { MILLRACE_KEEP_AUDIT: '1h' },
  ])('refuses %j', (env) => expect(problems(env)).toHaveLength(1));

  test('never repeats a secret', () => {
    const said = problems({
      MILLRACE_WEBHOOK_SECRET: 'hush-hush',
      DATABASE_URL: 'mysql://u:hush-hush@host',
    });
    expect(said).toHaveLength(2);
    expect(said.join()).not.toContain('hush-hush');
  });

  describe('of the database', () => {
    const DATABASE_URL = 'postgres://app@db.example/queue';
    const ca = certificate();
    const AZURE = { DATABASE_URL, DATABASE_AUTH: 'azure' };

    test('is TLS, as libpq has it, from a variable or from the URL', () => {
      const tlsOf = (env: Record<string, string>) => readConfig(env).database.tls;
      expect(tlsOf({ DATABASE_URL })).toBeNull();
      expect(tlsOf({ DATABASE_URL, DATABASE_SSL: 'require' })).toEqual({ mode: 'require' });
      const inUrl = `${DATABASE_URL}?sslmode=verify-full`;
      expect(tlsOf({ DATABASE_URL: inUrl })).toEqual({ mode: 'verify-full' });
      expect(tlsOf({ DATABASE_URL: `${inUrl}&sslrootcert=system` })).toEqual({
        mode: 'verify-full',
      });
      expect(
        tlsOf({ DATABASE_URL: inUrl, DATABASE_SSL: 'verify-ca', DATABASE_SSL_CA: ca }),
      ).toEqual({ mode: 'verify-ca', ca });
    });

    test('is a file with the password, or an identity, whose token only the right server gets', () => {
      expect(
        readConfig({ DATABASE_URL, DATABASE_PASSWORD_FILE: '/run/p' }).database.credential,
      ).toEqual({ from: 'file', path: '/run/p' });
      expect(readConfig(AZURE).database).toEqual({
        poolSize: 10,
        tls: { mode: 'verify-full' },
        credential: { from: 'azure', endpoint: null, clientId: null },
      });
      const config = readConfig({
        ...AZURE,
        IDENTITY_ENDPOINT: 'http://localhost:42356/msi/token',
        IDENTITY_HEADER: '853b9a84-5bfa',
        AZURE_CLIENT_ID: '5e29463d',
      });
      expect(config.database.credential).toEqual({
        from: 'azure',
        endpoint: { url: 'http://localhost:42356/msi/token', header: '853b9a84-5bfa' },
        clientId: '5e29463d',
      });
      expect(config.secrets).toContain('853b9a84-5bfa');
    });

    test.each<[Record<string, string>, string]>([
      [{ DATABASE_SSL: 'require' }, 'DATABASE_SSL: is of the database of DATABASE_URL'],
      [{ DATABASE_AUTH: 'azure' }, 'DATABASE_AUTH: is of the database of DATABASE_URL'],
      [{ DATABASE_URL, DATABASE_SSL: 'prefer' }, 'DATABASE_SSL: Write one of disable, require'],
      [{ DATABASE_URL: `${DATABASE_URL}?sslmode=allow` }, 'its sslmode must be one of disable'],
      [{ DATABASE_URL: `${DATABASE_URL}?ssl=true` }, 'in place of ssl'],
      [{ DATABASE_URL: `${DATABASE_URL}?sslkey=/k` }, 'certificates of clients'],
      [
        { DATABASE_URL: `${DATABASE_URL}?sslmode=verify-full&sslrootcert=/nowhere` },
        'its sslrootcert is no file',
      ],
      [{ DATABASE_URL, DATABASE_SSL: 'verify-ca' }, 'verify-ca needs DATABASE_SSL_CA'],
      [{ DATABASE_URL, DATABASE_SSL_CA: ca }, 'DATABASE_SSL_CA: is for TLS'],
      [{ DATABASE_URL, DATABASE_SSL_CA: '/nowhere' }, 'DATABASE_SSL_CA: Write the path'],
      [
        { DATABASE_URL: 'postgres://a:b@h/d', DATABASE_PASSWORD_FILE: '/p' },
        'DATABASE_URL has a password too',
      ],
      [{ ...AZURE, DATABASE_URL: 'postgres://a:b@h/d' }, 'azure needs no password'],
      [{ ...AZURE, DATABASE_PASSWORD_FILE: '/p' }, 'contradicts DATABASE_PASSWORD_FILE'],
      [{ ...AZURE, DATABASE_URL: 'postgres://h/d' }, 'needs the role of the identity'],
      [{ ...AZURE, DATABASE_SSL: 'disable' }, 'azure needs TLS'],
      [{ ...AZURE, IDENTITY_HEADER: 'x' }, 'go together'],
      [{ DATABASE_URL, DATABASE_POOL_SIZE: '1' }, 'from 2 to 1000'],
      [{ DATABASE_URL, DATABASE_SLL: 'require' }, 'Did you mean DATABASE_SSL?'],
    ])('refuses %j', (env, why) => expect(problems(env)).toEqual([expect.stringContaining(why)]));

    test('leaves what others call DATABASE_ alone', () => {
      expect(
        problems({
          DATABASE_HOST: 'h',
          DATABASE_USER: 'u',
          DATABASE_PASSWORD: 'p',
          DATABASE_PORT: '1',
        }),
      ).toEqual([]);
    });
  });

  test('survives a password that is not well formed', () => {
    expect(readConfig({ DATABASE_URL: 'postgres://u:100%25%zz@host/db' }).secrets).toContain(
      '100%25%zz',
    );
  });
});

describe('Redis', () => {
  const url = 'redis://ada:hush-hush@redis.example:6379';

  test('is read with its kinds, and its password is a secret', () => {
    const config = readConfig({ REDIS_URL: url, REDIS_KINDS: 'greet, count' });
    expect(config.redis).toEqual({
      url,
      passwordFile: null,
      prefix: 'millrace',
      replicas: 0,
      kinds: ['greet', 'count'],
    });
    expect(config.secrets).toContain('hush-hush');
  });

  test.each([
    [{ REDIS_URL: 'http://redis.example' }, /REDIS_URL: Write a URL such as redis:/],
    [{ REDIS_URL: url, REDIS_PREFIX: '{a}' }, /REDIS_PREFIX: Write letters/],
    [{ REDIS_KINDS: 'greet' }, /REDIS_KINDS: is of the server of REDIS_URL/],
    [{ REDIS_PASSWORD_FILE: '/a' }, /REDIS_PASSWORD_FILE: is of the server of REDIS_URL/],
    [{ REDIS_URL: url, REDIS_PASSWORD_FILE: '/a' }, /REDIS_URL has a password too/],
  ])('%o is refused', (env, sentence) => {
    expect(() => readConfig(env)).toThrow(sentence);
  });
});

describe('docs/configuration.md', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));

  test.each(Object.entries(environment.shape))('has %s as it is', (name, schema) => {
    const { description, fallback } = schema.meta() as {
      description: string;
      fallback: string | null;
    };
    const shown = fallback === null ? 'unset' : fallback === '' ? 'empty' : `\`${fallback}\``;
    expect(rows).toContain(`| \`${name}\` | ${shown} | ${description} |`);
  });

  test('has nothing else', () => expect(rows).toHaveLength(Object.keys(environment.shape).length));
});
