import { MillraceError, StoreTimedOut, StoreUnavailable } from '@millrace/engine';
import { type CallOptions, type Salesforce, SalesforceError } from '@millrace/salesforce';
import type { Ids } from './records/ids.ts';
import type { Keys } from './records/keys.ts';
import type { Names } from './records/names.ts';

/** The parts that every operation works with. */
export interface Context {
  readonly salesforce: Salesforce;
  readonly names: Names;
  readonly ids: Ids;
  readonly keys: Keys;
  /** The tenant whose jobs the records of the org are. */
  readonly tenant: string;
  /** The kind of records whose Kind__c is empty. */
  readonly defaultKind: string;
  /** The attempts of records whose MaxAttempts__c is empty. */
  readonly maxAttempts: number;
}

/** The longest text that a long text area keeps. */
export const LONGEST = 131_072;

/**
 * Turns Salesforce's errors into the port's: StoreUnavailable where nobody can tell what became of a write or the fault
 * is temporary, and anything else for data that will never do.
 */
export async function reaching<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw asStoreError(error);
  }
}

function asStoreError(error: unknown): unknown {
  if (!(error instanceof SalesforceError)) return error;
  // Too much for as many records as the call had: nothing was written, and fewer records may fit.
  if (error.kind === 'overrun')
    return new StoreTimedOut(`Salesforce: ${error.message}`, { cause: error });
  return isTemporary(error) ? unavailable(error) : error;
}

export function unavailable(error: SalesforceError): StoreUnavailable {
  return new StoreUnavailable(`Salesforce: ${error.message}`, { cause: error });
}

/** Whether the same call may succeed the next time. */
export function isTemporary(error: SalesforceError): boolean {
  return (
    error.outcome === 'unknown' ||
    error.kind === 'session' ||
    error.kind === 'limit' ||
    error.kind === 'lock' ||
    error.kind === 'unavailable'
  );
}

export function tooLong(what: string, length: number): MillraceError {
  return new MillraceError(
    'payload_too_large',
    `The ${what} has ${length} characters; a Salesforce record keeps ${LONGEST}. Store the data elsewhere and pass its address.`,
  );
}

/** The same connection, with this said of each call: who waits for it, and under which correlation id. */
export function calling(salesforce: Salesforce, said: CallOptions): Salesforce {
  return {
    ...salesforce,
    query: (soql, options) => salesforce.query(soql, { ...options, ...said }),
    composite: (parts, options) => salesforce.composite(parts, { ...options, ...said }),
    graphs: (graphs, options) => salesforce.graphs(graphs, { ...options, ...said }),
    apex: (params) => salesforce.apex({ ...params, ...said }),
  };
}
