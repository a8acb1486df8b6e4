import type { MarketingCloud } from '@millrace/marketing-cloud';
import { notConfigured } from './errors.ts';
import type { Account } from './settings.ts';

/**
 * The accounts of several enterprises as one: a business unit is of one enterprise, and its number is its own everywhere, so it says
 * whose token a call is made with.
 */
export function openAccounts(
  accounts: readonly Account[],
  open: (account: Account) => MarketingCloud,
): Pick<MarketingCloud, 'businessUnit' | 'close'> {
  const clouds = accounts.map((account) => ({ account, cloud: open(account) }));
  const byMid = new Map(
    clouds.flatMap(({ account, cloud }) => account.mids.map(({ mid }) => [mid, cloud] as const)),
  );
  return {
    businessUnit(mid) {
      const cloud = byMid.get(mid);
      if (cloud === undefined)
        throw notConfigured(`The business unit ${mid} is no longer of any account.`);
      return cloud.businessUnit(mid);
    },
    async close() {
      await Promise.all(clouds.map(({ cloud }) => cloud.close()));
    },
  };
}
