import { SalesforceError } from '@millrace/salesforce';

/** Something that an org has, or lacks, for this service to work there. */
export interface Finding {
  readonly check: Check;
  readonly verdict: 'ok' | 'missing' | 'cannot tell';
  /** One sentence. */
  readonly found: string;
  /** The step to take; null where there is none. */
  readonly advice: string | null;
}

export type Check =
  | 'login'
  | 'apiVersion'
  | 'objects'
  | 'fields'
  | 'apex'
  | 'permissions'
  | 'sharing'
  | 'namedCredential'
  | 'allowance';

export function ok(check: Check, found: string): Finding {
  return { check, verdict: 'ok', found, advice: null };
}

export function missing(check: Check, found: string, advice: string): Finding {
  return { check, verdict: 'missing', found, advice };
}

export function unknown(check: Check, found: string, advice: string): Finding {
  return { check, verdict: 'cannot tell', found, advice };
}

/** The answer of Salesforce, or its error. Anything else is a mistake of ours. */
export async function asked<T>(
  answer: Promise<T>,
): Promise<{ value: T } | { error: SalesforceError }> {
  try {
    return { value: await answer };
  } catch (error) {
    if (error instanceof SalesforceError) return { error };
    throw error;
  }
}
