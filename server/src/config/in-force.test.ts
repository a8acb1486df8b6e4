import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from './config.ts';
import { environment } from './environment.ts';
import { gatherSettings } from './file.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

function shown(env: Record<string, string>) {
  const { settings } = readConfig({ HOME: '/root', ...env });
  return {
    text: JSON.stringify(settings),
    of: (name: string) => settings.find((each) => each.name === name),
  };
}

test('every setting is there, with its default and where its value comes from', () => {
  const { of } = shown({ PORT: '4000', MILLRACE_JOBS: ' ' });
  expect(readConfig({ HOME: '/root' }).settings.map(({ name }) => name)).toEqual(
    Object.keys(environment.shape),
  );
  expect(of('PORT')).toMatchObject({ value: '4000', default: '3000', source: 'environment' });
  expect(of('MILLRACE_JOBS')).toMatchObject({ value: './jobs', source: 'default' });
  expect(of('TENANT_CLAIM')).toMatchObject({ value: null, default: null, group: 'identity' });
  expect(of('MILLRACE_DOCUMENTS')).toMatchObject({ group: 'documents' });
});

test('what stands in a file is told apart from the environment', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-in-force-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    join(folder, 'millrace.yaml'),
    'PORT: 4000\nLOG_LEVEL: warn\nSALESFORCE_CLIENT_ID: app\nSALESFORCE_CLIENT_SECRET: hunter27\n',
  );
  const { environment: given, file } = gatherSettings({ HOME: '/root', PORT: '4001' }, folder);
  const { settings } = readConfig(given, file);
  const of = (name: string) => settings.find((each) => each.name === name);
  expect(of('PORT')).toMatchObject({ value: '4001', source: 'environment' });
  expect(of('LOG_LEVEL')).toMatchObject({ value: 'warn', default: 'info', source: 'file' });
  expect(of('SALESFORCE_CLIENT_SECRET')).toMatchObject({ value: 'set', source: 'file' });
  expect(of('HOST')).toMatchObject({ source: 'default' });
  expect(JSON.stringify(settings)).not.toContain('hunter');
});

test('no secret is shown, wherever it stands', () => {
  const { text, of } = shown({
    DATABASE_URL: 'postgres://user:hunter22@db.example:5432/millrace?password=hunter23&x=1',
    REDIS_URL: 'redis://:hunter24@cache.example:6379',
    MILLRACE_WEBHOOK_SECRET: SECRET,
    IDENTITY_HEADER: 'hunter25',
    AZURE_MONITOR_CONNECTION_STRING:
      'InstrumentationKey=hunter26;IngestionEndpoint=https://x.example/',
    SALESFORCE_CLIENT_ID: 'app',
    SALESFORCE_CLIENT_SECRET: 'hunter27',
    SALESFORCE_ORGS: '[{"name":"b","clientId":"c","clientSecret":"hunter28"}]',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://user:hunter29@otel.example:4318/v1',
    MCE_AUTH_URL: 'https://sub.auth.marketingcloudapis.com',
    MCE_CLIENT_ID: 'mce',
    MCE_CLIENT_SECRET: 'hunter30',
    MCE_MIDS: '100001',
    REPORTS_DATABASE_URL: 'postgres://reader:hunter31@dw.example/dw',
  });
  expect(text).not.toMatch(/hunter|whsec_[A-Za-z0-9]/);
  expect(of('DATABASE_URL')?.value).toBe('postgres://db.example:5432/millrace');
  expect(of('REDIS_URL')?.value).toBe('redis://cache.example:6379');
  expect(of('OTEL_EXPORTER_OTLP_ENDPOINT')?.value).toBe('https://otel.example:4318/v1');
  expect(of('SALESFORCE_ORGS')?.value).toBe('[{"name":"b","clientId":"c","clientSecret":"set"}]');
  expect(of('SALESFORCE_CLIENT_SECRET')).toMatchObject({ value: 'set', isSecret: true });
  expect(of('SALESFORCE_CLIENT_ID')).toMatchObject({ value: 'app', isSecret: false });
  expect(shown({}).of('MILLRACE_WEBHOOK_SECRET')).toMatchObject({
    value: 'not set',
    isSecret: true,
  });
});

test('what a workload calls a secret is hidden, whatever its name', () => {
  const key = createHash('sha256').update('a').digest('base64');
  const other = createHash('sha256').update('b').digest('base64');
  const env = {
    REPORTS_TOKEN_KEYS: `k1:${key}`,
    PDF_PASSWORD_KEYS: `k1:${other}`,
    SMTP_URL: 'smtp://me:hunter32@mail.example',
    MAIL_FROM: 'mill@example.com',
  };
  const { text, of } = shown(env);
  for (const secret of readConfig({ HOME: '/root', ...env }).secrets)
    expect(text).not.toContain(secret);
  expect(text).not.toContain(key);
  expect(text).not.toContain(other);
  expect(text).not.toContain('hunter32');
  expect(of('SMTP_URL')?.value).toBe('smtp://mail.example');
});
