import type { JobFilter } from '@millrace/api';
import { type Filter, type JobState, type Phase, phasesOf } from '@millrace/engine';
import { defined } from '@millrace/workload-kit';

/**
 * A filter as it is asked for, as the stores take it. `me`: the caller, by name; `before`: only what was made before this moment.
 * Bulk actions have `all` beside the filter: it has said what it had to.
 */
export function filterOf(
  given: JobFilter & { readonly all?: true | undefined },
  { me, before }: { readonly me: string | null; readonly before?: number },
): Filter {
  const { tenant, worker, schedule, key, correlationId, errorCode, q: search } = given;
  const submitter = given.submitter === 'me' ? (me ?? 'me') : given.submitter;
  const createdAfter = msOrUndefined(given.createdAfter);
  const createdBefore = earlier(msOrUndefined(given.createdBefore), before);
  // The contract has checked the words.
  const states = given.state?.split(',') as JobState[] | undefined;
  const kinds = given.kind?.split(',');
  const [state, ...otherStates] = states ?? [];
  const [kind, ...otherKinds] = kinds ?? [];
  return defined({
    // One is asked for as one: stores have better ways for it.
    state: otherStates.length === 0 ? state : undefined,
    phases:
      otherStates.length === 0
        ? (given.phase?.split(',') as Phase[] | undefined)
        : phasesOf(states ?? []),
    kind: otherKinds.length === 0 ? kind : undefined,
    kinds: otherKinds.length === 0 ? undefined : kinds,
    tenant,
    submitter,
    worker,
    schedule,
    key,
    correlationId,
    errorCode,
    search,
    createdAfter,
    createdBefore,
  });
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

function msOrUndefined(moment: string | undefined): number | undefined {
  return moment === undefined ? undefined : Date.parse(moment);
}
