import { MarketingCloudError } from '@millrace/marketing-cloud';
import { expect, test } from 'vitest';
import { askFirstTokens } from './first-token.ts';
import { createCloudHealth } from './health.ts';

const log = { info() {}, warn() {}, error() {} };
const mids = [{ mid: '100001' }, { mid: '100002' }, { mid: '100001' }];

test('a refused token is known before the first query', async () => {
  const asked: string[] = [];
  const health = createCloudHealth();
  const scopes = async (mid: string): Promise<string[]> => {
    asked.push(mid);
    if (mid === '100001') return [];
    throw new MarketingCloudError('No.', {
      code: 'token_refused',
      kind: 'session',
      outcome: 'notSent',
    });
  };
  await askFirstTokens({ scopes }, { authUrl: 'https://a.auth.example', mids }, health);
  expect(asked).toEqual(['100001', '100002']);
  expect(await health.check.run(log)).toMatchObject({
    status: 'degraded',
    detail: expect.stringContaining('refuses a token for 100002'),
  });
});

test('a simulator is not woken', async () => {
  const scopes = (): Promise<string[]> => Promise.reject(new Error('asked'));
  const account = { authUrl: 'http://127.0.0.1:3999', mids };
  await askFirstTokens({ scopes }, account, createCloudHealth());
});
