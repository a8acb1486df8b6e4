import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { parseMids } from './mids.ts';
import { POLL_CONFIG } from './poll/config.ts';
import { settings } from './settings.ts';

const ACCOUNT = {
  MCE_AUTH_URL: 'https://sub.auth.marketingcloudapis.com',
  MCE_CLIENT_ID: 'id',
  MCE_CLIENT_SECRET: 'shh',
  MCE_MIDS: '100001,acme=100002',
};

function values(given: Readonly<Record<string, string>>) {
  return z.object(settings.variables).parse(given);
}

test('without an account there is none, and the polls are as the seed has them', () => {
  expect(settings.read(values({}))).toMatchObject({
    accounts: [],
    concurrency: 50,
    work: { poll: POLL_CONFIG, keepResultsMs: 86_400_000 },
  });
  expect(settings.read(values({ MILLRACE_QUERIES: 'false' }))).toBeNull();
});

test('an account is whole or not at all', () => {
  expect(settings.read(values(ACCOUNT))?.accounts[0]).toMatchObject({
    clientSecret: 'shh',
    mids: [
      { tenant: '', mid: '100001' },
      { tenant: 'acme', mid: '100002' },
    ],
  });
  expect(settings.read(values(ACCOUNT))?.enterpriseTables).toBe(false);
  const open = settings.read(values({ ...ACCOUNT, MCE_ENTERPRISE_TABLES: 'true' }));
  expect(open?.enterpriseTables).toBe(true);
  expect(settings.contradictions?.(values(ACCOUNT))).toEqual([]);
  expect(settings.secrets?.(values(ACCOUNT))).toEqual(['shh']);
  for (const name of Object.keys(ACCOUNT)) {
    const { [name as keyof typeof ACCOUNT]: _, ...rest } = ACCOUNT;
    expect(settings.contradictions?.(values(rest))).toEqual([expect.stringContaining(name)]);
  }
});

test.each([
  ['MCE_AUTH_URL', 'http://example.com'],
  ['MCE_AUTH_URL', 'no url'],
  ['MCE_MIDS', 'acme'],
  ['MCE_MIDS', '100001,acme=x'],
  ['MCE_CLIENT_SECRET_FILE', '/not/there'],
  ['MCE_DATA_EXTENSION_FOLDER_ID', 'Data Extensions'],
  ['MCE_QUERY_FOLDER_ID', '-1'],
  ['SHELL_QUERY_JITTER_RANGE', '2'],
  ['SHELL_QUERY_BACKOFF_MULTIPLIER', '0.5'],
  ['SHELL_QUERY_INSTALLATION', 'Too long for a key'],
])('%s=%s is refused', (name, value) => {
  expect(() => values({ [name]: value })).toThrow();
});

test('data extensions and queries have folders of their own', () => {
  const given = { MCE_DATA_EXTENSION_FOLDER_ID: '7', MCE_QUERY_FOLDER_ID: '8' };
  expect(settings.read(values(given))?.work).toMatchObject({
    dataExtensionFolderId: '7',
    queryFolderId: '8',
  });
});

test('MIDs belong to tenants; spaces around a name do not count', () => {
  expect(parseMids(['acme =1', '2'])).toEqual([
    { tenant: 'acme', mid: '1' },
    { tenant: '', mid: '2' },
  ]);
  expect(parseMids(['='])).toBeNull();
});

test('several enterprises, each with an account of its own, a business unit in one of them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-mce-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clientSecretFile = join(folder, 'secret');
  writeFileSync(clientSecretFile, 'whisper\n');
  const globex = {
    eid: '520000001',
    authUrl: 'https://globex.auth.marketingcloudapis.com',
    clientId: 'other',
    clientSecretFile,
    mids: ['globex=200001'],
    users: ['hank'],
  };
  const given = { ...ACCOUNT, MCE_EID: '510000001', MCE_ACCOUNTS: JSON.stringify([globex]) };
  expect(settings.contradictions?.(values(given))).toEqual([]);
  expect(settings.secrets?.(values(given))).toEqual(['shh', 'whisper']);
  expect(settings.read(values(given))?.accounts).toMatchObject([
    { clientSecret: 'shh', mids: [{ eid: '510000001' }, { tenant: 'acme', eid: '510000001' }] },
    {
      authUrl: globex.authUrl,
      clientSecret: 'whisper',
      mids: [{ tenant: 'globex', mid: '200001', eid: '520000001', users: ['hank'] }],
    },
  ]);
  const twice = { ...given, MCE_ACCOUNTS: JSON.stringify([{ ...globex, mids: ['x=100002'] }]) };
  expect(settings.contradictions?.(values(twice))).toEqual([
    expect.stringContaining('100002 is in two accounts'),
  ]);
  expect(() => values({ MCE_ACCOUNTS: '[{"authUrl":"https://x"}]' })).toThrow();
});
