import type { Org } from '@millrace/workload-kit';
import { openOrg } from '../salesforce/orgs.ts';
import { type Stores, openStores } from '../stores/open.ts';
import type { Kinds } from './kinds.ts';
import type { Process } from './process.ts';

/** Where jobs are kept. */
export interface Queues {
  readonly stores: Stores;
  readonly orgs: readonly (Org & { readonly kinds: readonly string[] })[];
}

export async function openQueues(process: Process, kinds: Kinds): Promise<Queues> {
  const { declared, dependants, places, salesforce } = kinds;
  const orgs = salesforce.orgs.map((org) => {
    const own = declared.kindsOf(org.name).map(({ kind }) => kind);
    return { ...openOrg(org, own, salesforce, process), kinds: own };
  });
  const onRedis = places.redis.map(({ kind }) => kind);
  const stores = await openStores({ ...process, dependants, orgs, onRedis });
  declared.check(stores.main, stores.ofOrgs, stores.redis);
  return { stores, orgs };
}
