import { type Handlers, type RouteParts, ok } from '../http/handler.ts';
import { paged } from '../http/paged.ts';
import type { Count, Registry } from '@millrace/engine';
import { grouped } from '../figures/grouped.ts';

type Names = 'settings' | 'listTenants' | 'sandboxPages';

export function installationHandlers({
  store,
  registry,
  replica,
  settings,
  sandboxPages,
}: Pick<
  RouteParts,
  'store' | 'registry' | 'replica' | 'settings' | 'sandboxPages'
>): Handlers<Names> {
  return {
    settings: async () => ok({ replica, settings: [...settings()] }),
    async listTenants({ query }) {
      const tenants = tenantsJson(await store.counts(), registry);
      const { items, next } = paged('tenants', tenants, ({ name }) => name, query);
      return ok({ tenants: items, next });
    },
    sandboxPages: async () => ok({ pages: [...sandboxPages] }),
  };
}

interface TenantJson {
  name: string;
  waiting: number;
  running: number;
  failed: number;
  quotas: {
    kind: string;
    queued: number | null;
    running: number | null;
    waitingNow: number;
    runningNow: number;
  }[];
}

/** Everyone who has jobs, with the quotas of those kinds of which they have some that wait or run. */
function tenantsJson(counts: readonly Count[], registry: Registry): TenantJson[] {
  return [...grouped(counts, ({ tenant }) => tenant)].map(([name, own]) => ({
    name,
    waiting: sumOf(own, 'QUEUED'),
    running: sumOf(own, 'PROCESSING'),
    failed: sumOf(own, 'FAILED'),
    quotas: registry.all().flatMap(({ kind, quota }) => {
      const ofKind = own.filter((each) => each.kind === kind);
      const [waitingNow, runningNow] = [sumOf(ofKind, 'QUEUED'), sumOf(ofKind, 'PROCESSING')];
      const isLimited = quota.queued !== null || quota.running !== null;
      return isLimited && waitingNow + runningNow > 0
        ? [{ kind, ...quota, waitingNow, runningNow }]
        : [];
    }),
  }));
}

function sumOf(counts: readonly Count[], state: Count['state']): number {
  return counts.reduce((sum, each) => (each.state === state ? sum + each.count : sum), 0);
}
