import { SalesforceError, isId } from '@millrace/salesforce';
import type { MeasuredCall, Org } from '@millrace/workload-kit';
import { DocumentError } from '../errors.ts';
import type { TemplateSource } from './compiled.ts';

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

/**
 * A file's version never changes, and its id is nobody else's: whichever org of the tenant has it is the right one. The service
 * sees more files than its callers do, so only those that a template of the org names are given out; any other id is answered
 * like one that is not there.
 */
export function templatesOf(orgs: readonly Org[], call: MeasuredCall): TemplateSource {
  async function download(
    { salesforce, store }: Org,
    id: string,
    correlation: { correlationId?: string },
  ): Promise<Uint8Array | null> {
    try {
      return await call(
        { dependency: 'salesforce', operation: 'template', ...correlation },
        async () => {
          if (!(await store.isTemplate(id, correlation.correlationId))) return null;
          return salesforce.download(`sobjects/ContentVersion/${id}/VersionData`, {
            lane: 'interactive',
            ...correlation,
          });
        },
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
    async fetch(id, tenant, correlationId) {
      const correlation = correlationId === undefined ? {} : { correlationId };
      const own = orgs.filter((org) => org.tenant === tenant);
      return firstOf(own, (org) => download(org, id, correlation));
    },
  };
}
