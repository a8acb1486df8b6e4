import type { JobState } from '@millrace/api';
import { type Count, STATES } from '@millrace/engine';
import { type Asked, paged } from '../../http/paged.ts';

export interface CountsAsked extends Asked {
  readonly kind?: string | undefined;
  readonly tenant?: string | undefined;
}

export interface CountsJson {
  states: Record<JobState, number>;
  scheduled: number;
  counts: Count[];
  next: string | null;
}

/** `states` and `scheduled` add up all that match; only `counts` comes in pages. */
export function countsJson(all: readonly Count[], asked: CountsAsked): CountsJson {
  const { kind, tenant } = asked;
  const matching = all.filter(
    (each) =>
      (kind === undefined || each.kind === kind) &&
      (tenant === undefined || each.tenant === tenant),
  );
  const states = Object.fromEntries(STATES.map((state) => [state, 0])) as CountsJson['states'];
  for (const { state, count } of matching) states[state] += count;
  const scheduled = matching.reduce((sum, each) => sum + each.scheduled, 0);
  const { items, next } = paged('counts', matching, keyOf, asked);
  return { states, scheduled, counts: items, next };
}

/** NUL is in no name, and before everything that is. States come in the order of a job's life. */
function keyOf({ kind, tenant, state }: Count): string {
  return [kind, tenant, STATES.indexOf(state)].join('\u0000');
}
