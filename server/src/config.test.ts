import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';
import { environment } from './environment.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

function problems(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('the configuration', () => {
  test('needs nothing', () => {
    expect(readConfig({ PATH: '/bin', HOME: '/root' })).toEqual({
      host: '127.0.0.1',
      port: 3000,
      dataFolder: '.millrace',
      databaseUrl: null,
      jobsFolder: './jobs',
      jobsFolderNamed: false,
      role: 'all',
      pools: [
        { name: 'default', concurrency: 20, batch: 20, interval: { active: 5_000, idle: 15_000 } },
      ],
      leaseMs: 120_000,
      shutdownGraceMs: 300_000,
      webhook: { secret: null, allow: [] },
      logLevel: 'info',
      production: false,
      secrets: [],
    });
  });

  test('takes an empty value as none', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: ' ', MILLRACE_LEASE: '' })).toEqual(readConfig({}));
  });

  test('reads what is set', () => {
    const url = 'postgres://ada:p%40ssw0rd@db.example:5433/queue';
    const config = readConfig({
      DATABASE_URL: url,
      MILLRACE_ROLE: 'worker',
      MILLRACE_LEASE: '90s',
      MILLRACE_POLL_IDLE: '1m',
      MILLRACE_POOLS:
        '[{"name":"slow","kinds":["report"],"concurrency":2,"interval":{"active":"5s","idle":30000},"pauseWindows":[{"cron":"0 1 * * *","lasts":"1h"}]}]',
      MILLRACE_WEBHOOK_SECRET: SECRET,
      MILLRACE_WEBHOOK_ALLOW: 'localhost:8080, intranet ,',
      NODE_ENV: 'production',
    });
    expect(config).toMatchObject({
      databaseUrl: url,
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

  test('leaves the setting of the command line alone', () => {
    expect(problems({ MILLRACE_URL: 'http://127.0.0.1:3100' })).toEqual([]);
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
    { MILLRACE_UNSAFE_OPEN: 'yes' },
    { MILLRACE_ROLE: 'api' },
  ])('refuses %j', (env) => expect(problems(env)).toHaveLength(1));

  test('never repeats a secret', () => {
    const said = problems({
      MILLRACE_WEBHOOK_SECRET: 'hush-hush',
      DATABASE_URL: 'mysql://u:hush-hush@host',
    });
    expect(said).toHaveLength(2);
    expect(said.join()).not.toContain('hush-hush');
  });

  test.each(['0.0.0.0', '::', '192.168.1.5', 'millrace.example'])(
    'refuses to listen on %s while nobody is asked who they are',
    (HOST) => {
      expect(problems({ HOST })[0]).toContain('MILLRACE_UNSAFE_OPEN');
      expect(readConfig({ HOST, MILLRACE_UNSAFE_OPEN: 'true' }).host).toBe(HOST);
    },
  );

  test('survives a password that is not well formed', () => {
    expect(readConfig({ DATABASE_URL: 'postgres://u:100%25%zz@host/db' }).secrets).toContain(
      '100%25%zz',
    );
  });
});

describe('docs/configuration.md', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
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
