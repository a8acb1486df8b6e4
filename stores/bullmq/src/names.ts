import { type JobId, MillraceError } from '@millrace/engine';

/** The prefix of job ids, and the ids under which BullMQ's tools show the jobs that were made here. */
export const STORE_NAME = 'bull';

export function jobId(number: string | number): JobId {
  return `${STORE_NAME}-${number}`;
}

/** The number of a job, as text; null for an id that is not of this store. */
export function numberOf(id: JobId): string | null {
  const [, digits] = /^bull-([1-9]\d{0,15})$/.exec(id) ?? [];
  return digits ?? null;
}

/** BullMQ takes no colon in the name of a queue, which also parts its keys. */
export function queueOf(kind: string): string {
  return kind.replaceAll('%', '%25').replaceAll(':', '%3A');
}

export function kindOf(queue: string): string {
  return queue.replaceAll('%3A', ':').replaceAll('%25', '%');
}

/**
 * All keys of a store begin with its name in braces, so that a cluster keeps them in one slot: a claim takes jobs of several
 * kinds, and children are written with the settlement of their parent.
 */
export function prefixOf(name: string): string {
  if (!/^[\w.-]{1,64}$/.test(name))
    throw new MillraceError(
      'invalid_definition',
      `The prefix ${JSON.stringify(name)} must be of letters, digits, dots, dashes and underscores.`,
    );
  return `{${name}}`;
}

const MIDDLE = 1_048_576;
const LAST = 2_097_150;

/** BullMQ takes the low number first, from 1 to 2^21. The highest place is left to suspects: see lua/waiting.ts. */
export function rankOf(priority: number | null): number {
  return priority === null ? LAST : Math.min(LAST - 1, Math.max(1, MIDDLE - priority));
}
