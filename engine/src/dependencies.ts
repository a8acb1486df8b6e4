import { type Duration, toMs } from './duration.ts';
import { MillraceError } from './errors.ts';
import type { FinishedJob, NewJob } from './job.ts';
import { toJsonText } from './json.ts';
import type { Dependant, Dependants } from './port.ts';
import type { Registry } from './registry.ts';
import type { FinishedState } from './states.ts';

/**
 * A rule makes a child when its parents have ended. It runs inside the transaction that ends a parent,
 * so there is never a finished parent without its child, nor a child without one.
 */
export interface Rule {
  readonly name: string;
  /** Kinds. With several, the child waits until one job of each has arrived with the same match key. */
  readonly parents: readonly string[];
  readonly child: string;
  /** Which end of a parent counts. A parent that fails can be retried by hand: it then arrives late. */
  readonly when?: 'succeeded' | 'failed' | 'finished';
  /** Parents belong together when this gives the same text; null takes no part. One group by default. */
  readonly match?: (parent: FinishedParent) => string | null;
  readonly data: (parent: FinishedParent, key: string) => unknown;
  /** How long the first parent waits for the others. Nothing waits for ever. */
  readonly within?: Duration;
  readonly priority?: number;
}

export interface FinishedParent {
  readonly id: string;
  readonly kind: string;
  readonly tenant: string;
  readonly state: FinishedState;
  readonly data: unknown;
}

const COUNTS: Readonly<Record<NonNullable<Rule['when']>, readonly FinishedState[]>> = {
  succeeded: ['SUCCEEDED'],
  failed: ['FAILED'],
  finished: ['SUCCEEDED', 'FAILED', 'CANCELED'],
};

const NONE: readonly Dependant[] = [];

export const WEBHOOK_KIND = 'millrace.webhook';

export function cleanupKindName(kind: string): string {
  return `${kind}.cleanup`;
}

export function defineRule(rule: Rule): Rule {
  if (rule.parents.length === 0 || new Set(rule.parents).size !== rule.parents.length) {
    throw new MillraceError('invalid_definition', `The rule "${rule.name}" needs one or more different parents.`);
  }
  return rule;
}

/** Everything that follows from a job's end: rules, its webhook, its cleanup. One mechanism for the three. */
export function dependantsOf(registry: Registry, rules: readonly Rule[]): Dependants {
  const byParent = new Map<string, Rule[]>();
  for (const rule of rules) {
    registry.require(rule.child);
    for (const parent of rule.parents) {
      registry.require(parent);
      byParent.set(parent, [...(byParent.get(parent) ?? []), rule]);
    }
  }
  return (job) => {
    const rulesOfKind = byParent.get(job.kind);
    const cleanup = job.state !== 'SUCCEEDED' && registry.get(job.kind)?.hasCleanup === true;
    // Most jobs have nothing that follows: no allocation for them.
    if (rulesOfKind === undefined && job.webhook === null && !cleanup) return NONE;
    const dependants: Dependant[] = [];
    for (const rule of rulesOfKind ?? []) {
      const dependant = follow(registry, rule, job);
      if (dependant !== null) dependants.push(dependant);
    }
    if (job.webhook !== null) {
      dependants.push({ child: child(registry, WEBHOOK_KIND, job, { job: job.id, state: job.state, url: job.webhook }) });
    }
    if (cleanup) {
      dependants.push({ child: child(registry, cleanupKindName(job.kind), job, { job: job.id }) });
    }
    return dependants;
  };
}

function follow(registry: Registry, rule: Rule, job: FinishedJob): Dependant | null {
  if (!COUNTS[rule.when ?? 'succeeded'].includes(job.state)) return null;
  const made = applyRule(rule, job);
  if (made === null) return null;
  const childJob = {
    ...child(registry, rule.child, job, made.data),
    ...(rule.priority !== undefined && { priority: rule.priority }),
  };
  if (rule.parents.length === 1) return { child: childJob };
  return {
    child: childJob,
    gate: {
      rule: rule.name,
      // Tenants never meet at a gate.
      key: JSON.stringify([job.tenant, made.key]),
      slot: job.kind,
      slots: rule.parents,
      withinMs: toMs(rule.within ?? '7d'),
    },
  };
}

/**
 * A rule's own code must not stop its parent from ending: what it throws becomes the child's data, which
 * the child's schema then refuses, so that the failure is a dead letter someone sees.
 */
function applyRule(rule: Rule, job: FinishedJob): { key: string; data: unknown } | null {
  const { id, kind, tenant, state } = job;
  try {
    const parent: FinishedParent = { id, kind, tenant, state, data: job.payload === null ? null : JSON.parse(job.payload) };
    const key = rule.match === undefined ? '' : rule.match(parent);
    return key === null ? null : { key, data: rule.data(parent, key) };
  } catch (thrown) {
    return { key: id, data: { ruleFailed: rule.name, parent: id, why: String(thrown) } };
  }
}

function child(registry: Registry, kind: string, parent: FinishedJob, data: unknown): NewJob {
  return {
    kind,
    payload: storablePayload(data),
    maxAttempts: registry.require(kind).maxAttempts,
    tenant: parent.tenant,
    priority: null,
    parents: { [parent.kind]: parent.id },
    ...(parent.correlationId !== null && { correlationId: parent.correlationId }),
    ...(parent.submitter !== null && { submitter: parent.submitter }),
  };
}

function storablePayload(data: unknown): string {
  try {
    return toJsonText(data, 'data of a rule');
  } catch (thrown) {
    return JSON.stringify({ ruleFailed: true, why: String(thrown) });
  }
}
