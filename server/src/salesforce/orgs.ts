import type { Events, PoolConfig } from '@millrace/engine';
import { createSalesforce } from '@millrace/salesforce';
import { createSalesforceStore } from '@millrace/store-salesforce';
import type { Org } from '@millrace/workload-kit';
import type { OrgConfig, SalesforceConfig } from '../config/config.ts';
import type { Logger } from '../log/log.ts';
import type { OrgUsage } from '../telemetry/metrics/observe.ts';
import type { Telemetry } from '../telemetry/types.ts';

/** Documents of one org, where the office has as many processes. */
const MOST_AT_ONCE = 8;

/** Connects to nothing yet: an org that is away must not keep the process from starting. */
export function openOrg(
  config: OrgConfig,
  /** Those whose jobs are its records, the usual one first. */
  [kind = '']: readonly string[],
  { retries }: SalesforceConfig,
  { telemetry, log }: { telemetry: Telemetry; log: Logger },
): Org {
  const { name, connection, names, tenant, purgeRequests } = config;
  const salesforce = createSalesforce(connection, {
    log: log.child({ org: name }),
    onCall: ({ path, retried }) =>
      telemetry.count('salesforce_api_calls_total', 1 + retried, { org: name, operation: path }),
  });
  const store = createSalesforceStore({
    salesforce,
    name,
    names,
    tenant,
    purgeRequests,
    defaultKind: kind,
    maxAttempts: 1 + retries,
  });
  return { name, tenant, salesforce, store };
}

/** Logs whether the org has the package's Apex. Not awaited. */
export function logApexLevel({ name, store }: Org, log: Logger): void {
  store.level().then(
    (level) => log.info({ org: name, salesforceLevel: level }, 'the Salesforce org is connected'),
    (err: unknown) => log.warn({ org: name, err }, 'the Salesforce org does not answer yet'),
  );
}

/**
 * The pools of an org: those that the operator describes, and one for each other kind. No more is claimed than can start:
 * 40 at once on two office processes, and the last ones had waited out their time before they began. A claim waits for half of
 * the places, since each is a request that Salesforce counts (docs/decisions/0008-salesforce-leases.md).
 */
export function orgPools(
  described: readonly PoolConfig[],
  kinds: readonly string[],
  rooms: ReadonlyMap<string, number>,
  config: SalesforceConfig,
): PoolConfig[] {
  const named = new Set(described.flatMap((pool) => pool.kinds ?? []));
  const rest = kinds.filter((kind) => !named.has(kind));
  const pools: PoolConfig[] = [
    ...described,
    ...rest.map((kind) => ({ name: kind, kinds: [kind] })),
  ];
  return pools.map((pool) => {
    const limits = (pool.kinds ?? []).map((kind) =>
      Math.min(rooms.has(kind) ? MOST_AT_ONCE : config.batch, rooms.get(kind) ?? config.batch),
    );
    const { concurrency = Math.max(1, ...limits) } = pool;
    const { batch = Math.min(config.batch, concurrency) } = pool;
    return {
      interval: { active: config.intervalMs, idle: config.idleIntervalMs },
      ...pool,
      concurrency,
      batch,
      least: Math.min(batch, Math.ceil(concurrency / 2)),
      // Alone, a suspect takes about two seconds, most of them for its outcome to be gathered and written.
      together: Math.ceil(concurrency / 2),
    };
  });
}

export function usageOf(
  { name, kinds, salesforce }: Org & { readonly kinds: readonly string[] },
  events: Events,
): OrgUsage {
  let documents = 0;
  events.on('job.succeeded', (job) => {
    if (kinds.includes(job.kind)) documents += 1;
  });
  return {
    org: name,
    usage() {
      const budget = salesforce.budget();
      return budget.level === 'unknown' ? null : budget.ratio;
    },
    callsPerDocument: () => (documents === 0 ? null : salesforce.stats().calls / documents),
  };
}
