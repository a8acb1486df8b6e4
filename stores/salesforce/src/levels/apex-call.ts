import type { WriteOptions } from '@millrace/salesforce';
import type { Context } from '../context.ts';

/** Rows that one Apex call changes: 200 fit its limits with room to spare. */
export const AT_ONCE = 200;

/**
 * Calls the package's endpoint. `repeatable` calls are sent again after a lost answer: they change nothing the
 * second time.
 */
export type ApexCall = <T>(
  verb: string,
  body: object,
  options?: Pick<WriteOptions, 'repeatable' | 'correlationId'>,
) => Promise<T>;

export function apexCall({ salesforce, names }: Context): ApexCall {
  return (verb, body, options = {}) =>
    salesforce.apex({ method: 'POST', path: `${names.apex}/${verb}`, body, ...options });
}
