import { expect, test } from 'vitest';
import { isWanted, startSandboxMarketingCloud } from './sandbox-marketing-cloud.ts';

const SETTINGS = ['PORT', 'MCE_AUTH_URL'];

test('a process that is told nothing has a simulated Marketing Cloud', () => {
  expect(isWanted({}, SETTINGS)).toBe(true);
  expect(isWanted({ NODE_ENV: 'development', MCE_AUTH_URL: ' ' }, SETTINGS)).toBe(true);
  expect(isWanted({ NODE_ENV: 'test' }, SETTINGS)).toBe(true);
});

test.each([
  { NODE_ENV: 'production' },
  { NODE_ENV: 'prod' },
  { NODE_ENV: 'staging' },
  { MCE_AUTH_URL: 'https://x.auth.marketingcloudapis.com' },
  { MCE_MIDS: '100001' },
  { ISSUER: 'https://login.microsoftonline.com/x/v2.0' },
  { MILLRACE_QUERIES: 'false' },
  { MILLRACE_ROLE: 'worker' },
])('one that is told %o has none', (given) => {
  expect(isWanted(given, SETTINGS)).toBe(false);
});

test('without the workload there is none', () => {
  expect(isWanted({}, ['PORT'])).toBe(false);
});

test('the settings lead to it', async () => {
  const { environment, page, close } = await startSandboxMarketingCloud({ PORT: '5' });
  expect(environment).toMatchObject({ PORT: '5', MCE_MIDS: '100001,100002' });
  const { MCE_AUTH_URL, MCE_CLIENT_ID, MCE_CLIENT_SECRET } = environment;
  const answer = await fetch(`${MCE_AUTH_URL}/v2/token`, {
    method: 'POST',
    body: JSON.stringify({
      grant_type: 'client_credentials',
      client_id: MCE_CLIENT_ID,
      client_secret: MCE_CLIENT_SECRET,
      account_id: '100002',
    }),
  });
  expect(answer.status).toBe(200);
  expect((await fetch(page ?? '')).status).toBe(200);
  await close();
});
