import { ROLES } from '@millrace/api';
import { expect, test } from 'vitest';
import { banner } from './banner.ts';
import { readConfig } from './config/config.ts';

test('names a user of the sandbox for each role', () => {
  const said = banner(readConfig({}), {
    address: 'http://127.0.0.1:3000',
    jobs: { kinds: [], rules: [], schedules: [], idle: [], check() {} },
    sandbox: {
      password: 'open-sesame',
      entrance: (to: string) => `http://enter/?to=${to}`,
    } as never,
    sandboxOrg: null,
  });
  expect(said).not.toContain('logs');
  for (const role of ROLES) expect(said).toContain(`${role}@sandbox`);
  expect(said).toContain('password open-sesame');
  expect(said).toContain('http://enter/?to=http://127.0.0.1:3000/console/?enter');
});

test('names the file of the log', () => {
  const started = {
    address: 'http://127.0.0.1:3000',
    jobs: { kinds: [], rules: [], schedules: [], idle: [], check() {} },
    sandbox: null,
    sandboxOrg: null,
  };
  expect(banner(readConfig({}), started, null, '.millrace/millrace.log')).toMatch(
    /^ {2}logs {2}\.millrace\/millrace\.log$/m,
  );
});
