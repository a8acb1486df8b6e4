import type { BusinessUnit, MarketingCloud } from '@millrace/marketing-cloud';
import { expect, test } from 'vitest';
import { openAccounts } from './accounts.ts';

const account = (clientId: string, ...mids: string[]) => ({
  authUrl: 'https://sub.auth.marketingcloudapis.com',
  clientId,
  clientSecret: 'shh',
  mids: mids.map((mid) => ({ tenant: '', mid })),
});

test('a call is made with the account of its business unit, and all are closed', async () => {
  const closed: string[] = [];
  const units = new Map<BusinessUnit, string>();
  const cloud = openAccounts(
    [account('one', '1', '2'), account('two', '3')],
    ({ clientId }) =>
      ({
        businessUnit(mid: string) {
          const unit = {} as BusinessUnit;
          units.set(unit, `${clientId} ${mid}`);
          return unit;
        },
        close: async () => void closed.push(clientId),
      }) as unknown as MarketingCloud,
  );
  const asked = ['1', '2', '3'].map((mid) => units.get(cloud.businessUnit(mid)));
  expect(asked).toEqual(['one 1', 'one 2', 'two 3']);
  expect(() => cloud.businessUnit('4')).toThrow('no longer of any account');
  await cloud.close();
  expect(closed).toEqual(['one', 'two']);
});
