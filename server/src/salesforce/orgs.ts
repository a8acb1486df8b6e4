import {
  type Documents,
  type TemplateSource,
  DocumentError,
  salesforceDocumentKind,
} from '@millrace/documents';
import {
  type Events,
  type JobKind,
  type PoolConfig,
  RETRY,
  type RetryPolicy,
} from '@millrace/engine';
import { type Salesforce, SalesforceError, createSalesforce, isId } from '@millrace/salesforce';
import { type SalesforceStore, createSalesforceStore } from '@millrace/store-salesforce';
import type { OrgConfig, SalesforceConfig } from '../config/config.ts';
import type { Logger } from '../log/log.ts';
import type { OrgUsage } from '../telemetry/metrics/observe.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

/** A Salesforce org whose records are a queue. */
export interface Org {
  readonly name: string;
  readonly kind: string;
  readonly salesforce: Salesforce;
  readonly store: SalesforceStore;
}

export function kindOf({ name }: Pick<OrgConfig, 'name'>): string {
  return `document.${name}`;
}

/** Connects to nothing yet: an org that is away must not keep the process from starting. */
export function openOrg(
  config: OrgConfig,
  { retries }: SalesforceConfig,
  { telemetry, log }: { telemetry: Telemetry; log: Logger },
): Org {
  const { name, connection, names } = config;
  const kind = kindOf(config);
  const salesforce = createSalesforce(connection, {
    log: log.child({ org: name }),
    onCall: ({ path, retried }) =>
      telemetry.count('salesforce_api_calls_total', 1 + retried, { org: name, operation: path }),
  });
  const store = createSalesforceStore({
    salesforce,
    name,
    names,
    defaultKind: kind,
    maxAttempts: 1 + retries,
  });
  return { name, kind, salesforce, store };
}

/** What the org has of the package, for whoever reads the log. Not waited for. */
export function tellLevel({ name, store }: Org, log: Logger): void {
  store.level().then(
    (level) => log.info({ org: name, level }, 'the Salesforce org is connected'),
    (err: unknown) => log.warn({ org: name, err }, 'the Salesforce org does not answer yet'),
  );
}

export function orgKind(
  config: OrgConfig,
  { retries }: SalesforceConfig,
  documents: () => Documents,
): JobKind {
  return salesforceDocumentKind({ kind: kindOf(config), documents, retry: retryPolicy(retries) });
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

export function usageOf({ name, kind, salesforce }: Org, events: Events): OrgUsage {
  let documents = 0;
  events.on('job.succeeded', (job) => {
    if (job.kind === kind) documents += 1;
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

/** One minute, five, fifteen; those after the third wait as long as the third. */
function retryPolicy(retries: number): RetryPolicy {
  const { delays } = RETRY.documents;
  return {
    backoff: 'steps',
    delays: Array.from({ length: retries }, (_, index) => delays[index] ?? '15m'),
  };
}

/** What one of them has. An org that is away matters only if no other has it. */
export async function firstOf<T>(
  orgs: readonly Org[],
  ask: (org: Org) => Promise<T | null>,
): Promise<T | null> {
  let failed: { readonly error: unknown } | null = null;
  for (const org of orgs) {
    try {
      const found = await ask(org);
      if (found !== null) return found;
    } catch (error) {
      failed ??= { error };
    }
  }
  if (failed !== null) throw failed.error;
  return null;
}

/** A file's version never changes, and its id is nobody else's: whichever org has it is the right one. */
export function templatesOf(
  orgs: readonly Org[],
  { call }: Pick<Telemetry, 'call'>,
): TemplateSource {
  async function download(
    { salesforce }: Org,
    id: string,
    correlation: { correlationId?: string },
  ): Promise<Uint8Array | null> {
    try {
      return await call({ dependency: 'salesforce', operation: 'template', ...correlation }, () =>
        salesforce.download(`sobjects/ContentVersion/${id}/VersionData`, {
          lane: 'interactive',
          ...correlation,
        }),
      );
    } catch (error) {
      if (!(error instanceof SalesforceError) || error.retryable) throw error;
      if (error.kind === 'notFound') return null;
      const message = `The template "${id}" cannot be read (${error.code}): ${error.message}`;
      throw new DocumentError('validation_error', message, { cause: error });
    }
  }

  return {
    has: (id) => id.startsWith('068') && isId(id),
    async fetch(id, correlationId) {
      const correlation = correlationId === undefined ? {} : { correlationId };
      return firstOf(orgs, (org) => download(org, id, correlation));
    },
  };
}
