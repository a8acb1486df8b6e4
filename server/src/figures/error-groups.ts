import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ErrorGroup, JOB_ERRORS } from '@millrace/api';
import type { Failure } from '@millrace/store-postgres';
import { iso } from '@millrace/workload-kit';
import { causeOf, groupId } from './fingerprint.ts';

const DAY_MS = 24 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;
const SAMPLE = 5;
const MOST_GROUPS = 500;
/** So many failures are looked at before others have their turn: 2,000 take about 5 ms. */
const STRETCH = 2_000;

interface Group {
  readonly kind: string;
  readonly code: string;
  readonly cause: string;
  failed: number;
  retrying: number;
  firstAt: number;
  lastAt: number;
  retryable: boolean;
  message: string;
  readonly sample: { readonly id: string; readonly at: number }[];
  readonly hours: number[];
}

export interface Grouped {
  readonly groups: ErrorGroup[];
  readonly truncated: boolean;
}

/** By kind, code and cause; the latest first. */
export async function groupsOf(
  failures: { readonly failed: readonly Failure[]; readonly retrying: readonly Failure[] },
  now: number,
): Promise<Grouped> {
  const groups = new Map<string, Group>();
  const causes = new Map<string, string>();
  for (const state of ['failed', 'retrying'] as const) {
    for (const [index, failure] of failures[state].entries()) {
      if (index % STRETCH === STRETCH - 1) await nextTurn();
      const cause = causes.get(failure.message) ?? causeOf(failure.message);
      causes.set(failure.message, cause);
      add(groups, failure, cause, state, now);
    }
  }
  const all = [...groups.values()].toSorted((a, b) => b.lastAt - a.lastAt);
  return {
    groups: all.slice(0, MOST_GROUPS).map((group) => groupJson(group, now)),
    truncated: all.length > MOST_GROUPS,
  };
}

function add(
  groups: Map<string, Group>,
  { id, kind, code, message, retryable, at }: Failure,
  cause: string,
  state: 'failed' | 'retrying',
  now: number,
): void {
  const key = JSON.stringify([kind, code, cause]);
  let group = groups.get(key);
  if (group === undefined) {
    const [hours, sample] = [Array.from({ length: 24 }, () => 0), []];
    const counts = { failed: 0, retrying: 0 };
    group = {
      kind,
      code,
      cause,
      ...counts,
      firstAt: at,
      lastAt: 0,
      retryable,
      message,
      sample,
      hours,
    };
    groups.set(key, group);
  }
  group[state] += 1;
  group.firstAt = Math.min(group.firstAt, at);
  if (at > group.lastAt) Object.assign(group, { lastAt: at, message, retryable });
  if (group.sample.length < SAMPLE) group.sample.push({ id, at });
  const hour = 23 - Math.floor((now - at) / HOUR_MS);
  if (hour >= 0) group.hours[Math.min(hour, 23)] = (group.hours[Math.min(hour, 23)] ?? 0) + 1;
}

function groupJson(group: Group, now: number): ErrorGroup {
  const { kind, code, cause, message, failed, retrying, firstAt, lastAt, hours } = group;
  const known = JOB_ERRORS[code as keyof typeof JOB_ERRORS] as
    | { readonly retryable: boolean; readonly help: string }
    | undefined;
  return {
    id: groupId(kind, code, cause),
    code,
    kind,
    cause,
    message,
    counts: { failed, retrying },
    firstAt: iso(firstAt),
    lastAt: iso(lastAt),
    isNew: now - firstAt < DAY_MS,
    helps: failed === 0 ? 'waits' : (known?.retryable ?? group.retryable) ? 'retry' : 'correct',
    advice: known?.help ?? null,
    sample: group.sample.toSorted((a, b) => b.at - a.at).map(({ id }) => id),
    filter: {
      kind,
      errorCode: code,
      ...(retrying === 0 && { state: 'FAILED' as const }),
      ...(failed === 0 && { state: 'QUEUED' as const }),
    },
    hours,
  };
}
