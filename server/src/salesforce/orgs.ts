import type { Events, PoolConfig } from '@millrace/engine';
import { createSalesforce } from '@millrace/salesforce';
import { createSalesforceStore } from '@millrace/store-salesforce';
import type { Org } from '@millrace/workload-kit';
import type { OrgConfig, SalesforceConfig } from '../config/config.ts';
import type { Logger } from '../log/log.ts';
import type { OrgUsage } from '../telemetry/metrics/observe.ts';
import type { Telemetry } from '../telemetry/types.ts';

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

/** What the org has of the package, for whoever reads the log. Not waited for. */
export function tellLevel({ name, store }: Org, log: Logger): void {
  store.level().then(
    (level) => log.info({ org: name, salesforceLevel: level }, 'the Salesforce org is connected'),
    (err: unknown) => log.warn({ org: name, err }, 'the Salesforce org does not answer yet'),
  );
}

/** Twice the batch may be under way, so that the next claim is a whole one while the last is still being made. */
export function orgPool(kind: string, config: SalesforceConfig): PoolConfig {
  const { batch, intervalMs, idleIntervalMs } = config;
  return {
    name: kind,
    kinds: [kind],
    batch,
    least: batch,
    concurrency: 2 * batch,
    interval: { active: intervalMs, idle: idleIntervalMs },
  };
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
