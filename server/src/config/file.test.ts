import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from './config.ts';
import { ConfigError } from './error.ts';
import { gatherSettings } from './file.ts';
import { readDatabasePlace } from './place.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

function write(text: string, name = 'millrace.yaml'): void {
  writeFileSync(join(folder, name), text);
}

function read(env: Record<string, string> = {}) {
  const { environment, file } = gatherSettings(env, folder);
  return readConfig(environment, file);
}

function problems(env: Record<string, string> = {}): readonly string[] {
  try {
    read(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('there need be none, and an empty one says nothing', () => {
  expect(gatherSettings({ PORT: '1' }, folder)).toEqual({
    environment: { PORT: '1' },
    file: null,
  });
  write('# nothing yet\n');
  expect(read()).toEqual({
    ...readConfig({}),
    file: { path: join(folder, 'millrace.yaml'), hasSecrets: false },
  });
});

test('a value is what stands there, as a variable would have it', () => {
  write(`
# As in the environment.
PORT: 4000
MILLRACE_DURABLE: false
MILLRACE_LEASE: 90s
SALESFORCE_API_VERSION: 60.0
MILLRACE_ENVIRONMENT: "on call"
REDIS_URL: redis://cache.example
REDIS_KINDS: [greet, count]
CALLER_CLAIMS:
  - county
  - region
MILLRACE_POOLS:
  - name: slow
    kinds: [report]
    concurrency: 2
    interval: { active: 5s, idle: 30s }
TENANT_CLAIM:
`);
  const config = read();
  expect(config).toMatchObject({
    port: 4000,
    durable: false,
    leaseMs: 90_000,
    environment: 'on call',
    redis: { kinds: ['greet', 'count'] },
    callerClaims: ['county', 'region'],
    tenantClaim: null,
  });
  expect(config.pools[1]).toMatchObject({ name: 'slow', kinds: ['report'], concurrency: 2 });
  expect(config.settings.find(({ name }) => name === 'SALESFORCE_API_VERSION')?.value).toBe('60.0');
});

test('the environment wins, unless it is empty', () => {
  write('PORT: 4000\nLOG_LEVEL: warn\n');
  expect(read({ PORT: '4001', LOG_LEVEL: ' ' })).toMatchObject({ port: 4001, logLevel: 'warn' });
});

test('another name is given by a variable, and has to be there', () => {
  write('PORT: 4000\n', 'other.yaml');
  expect(read({ MILLRACE_CONFIG: 'other.yaml' }).port).toBe(4000);
  expect(read({ MILLRACE_CONFIG: join(folder, 'other.yaml') }).port).toBe(4000);
  expect(problems({ MILLRACE_CONFIG: 'nope.yaml' })).toEqual([
    `MILLRACE_CONFIG: ${join(folder, 'nope.yaml')} cannot be read (ENOENT).`,
  ]);
});

describe('what is wrong is reported with its place', () => {
  test('a name that there is not, and the one that was probably meant', () => {
    write('PORT: 4000\n\nMILLRACE_LEAS: 1m\nXYZZY_PLUGH_FROTZ: 1\n');
    expect(problems()).toEqual([
      'millrace.yaml:3:1: MILLRACE_LEAS: there is no such setting. Did you mean MILLRACE_LEASE?',
      'millrace.yaml:4:1: XYZZY_PLUGH_FROTZ: there is no such setting.',
    ]);
  });

  test('a value, also one that is wrong only together with another', () => {
    write('PORT: soon\nDATABASE_SSL: require\n');
    expect(problems()).toEqual(['millrace.yaml:1:1: PORT: Write a whole number from 0 to 65535.']);
    write('PORT: 1\nDATABASE_SSL: require\n');
    expect(problems()).toEqual([
      'millrace.yaml:2:1: DATABASE_SSL: is of the database of DATABASE_URL, which is not set.',
    ]);
    // What the environment says does not stand in the file.
    expect(problems({ DATABASE_SSL: 'require', PORT: 'soon' })).toEqual([
      'PORT: Write a whole number from 0 to 65535.',
    ]);
  });

  test.each([
    ['- PORT\n', 'millrace.yaml:1:1: Write one setting a line, such as PORT: 3000.'],
    ['PORT: 1\nPORT: 2\n', 'millrace.yaml:2:1: This field is there twice. Remove one of them.'],
    ['PORT: {a: 1}\n', 'millrace.yaml:1:1: PORT: Write a text, a number, true or false.'],
    [
      'REDIS_KINDS: ["a,b"]\n',
      'millrace.yaml:1:1: REDIS_KINDS: Write a list of texts, none of which has a comma in it.',
    ],
    [
      'MILLRACE_CONFIG: a.yaml\n',
      'millrace.yaml:1:1: MILLRACE_CONFIG: names this file, and is read from the environment alone.',
    ],
  ])('%j', (text, problem) => {
    write(text);
    expect(problems()).toEqual([problem]);
  });

  test('and never with a secret', () => {
    write('MILLRACE_WEBHOOK_SECRET: 0123456789\n');
    const [said = ''] = problems();
    expect(said).toMatch(/^millrace\.yaml:1:26: /);
    expect(said).not.toContain('123456789');
  });

  test.skipIf(process.getuid?.() === 0)('a file that may not be read', () => {
    write('PORT: 1\n');
    chmodSync(join(folder, 'millrace.yaml'), 0);
    expect(problems()).toEqual(['millrace.yaml: it is there, and cannot be read (EACCES).']);
  });
});

test.each([
  ['DATABASE_URL: postgres://a:hunter22@h/d', true],
  ['DATABASE_URL: postgres://a@h/d', false],
  ['SALESFORCE_CLIENT_ID: a\nSALESFORCE_CLIENT_SECRET: hunter22', true],
  ['SALESFORCE_ORGS:\n  - { name: b, clientId: c, clientSecret: hunter22 }', true],
  ['DATABASE_URL: postgres://a@h/d\nDATABASE_PASSWORD_FILE: /run/secret', false],
])('whether %j has a secret in it', (text, hasSecrets) => {
  write(text);
  expect(read().file?.hasSecrets).toBe(hasSecrets);
});

test('whoever only reaches the database needs none of the other settings', () => {
  write('DATABASE_URL: postgres://owner:hunter22@db.example/queue\nHOST: 0.0.0.0\n');
  const { environment, file } = gatherSettings({ NODE_ENV: 'production' }, folder);
  expect(readDatabasePlace(environment, file)).toMatchObject({
    databaseUrl: 'postgres://owner:hunter22@db.example/queue',
    dataFolder: '.millrace',
    secrets: ['hunter22', 'hunter22'],
  });
  expect(() => readConfig(environment, file)).toThrow('ISSUER');
});
