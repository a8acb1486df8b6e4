import { type FieldTable, either, fieldsOf } from './definition.ts';
import { type Duration, storableDelay, toMs } from '../time/duration.ts';
import { MillraceError } from '../errors.ts';
import { classify } from '../values/failure.ts';
import type { FinishedJob, NewJob } from '../job.ts';
import { checkText, toJsonText } from '../values/json.ts';
import type { Dependant, Dependants } from '../port.ts';
import { checkPriority } from '../values/priority.ts';
import { type Registry, cleanupKindName } from './registry.ts';
import { RETRY, maxAttempts } from './retry.ts';
import { FINISHED_STATES, type FinishedState } from '../states.ts';

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
  /**
   * Parents belong together when this gives the same text, such as a date or the correlation id; null takes no part.
   * A rule with several parents must have it: without, what is left of yesterday would be paired with today's.
   */
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
  readonly correlationId: string;
  /** Null when the job was erased, or its payload purged. */
  readonly data: unknown;
}

const COUNTS: Readonly<Record<NonNullable<Rule['when']>, readonly FinishedState[]>> = {
  succeeded: ['SUCCEEDED'],
  failed: ['FAILED'],
  finished: FINISHED_STATES,
};

const NONE: readonly Dependant[] = [];
/** The longest match key: gates are found by it, and a database index takes no longer ones. */
const MATCH_LIMIT = 255;

export const WEBHOOK_KIND = 'millrace.webhook';

const FIELDS: FieldTable<Rule> = {
  name: true,
  parents: true,
  child: true,
  when: true,
  match: true,
  data: true,
  within: true,
  priority: true,
};

/** Whatever could throw later, while a parent ends, is tried here. */
export function defineRule(rule: Rule): Rule {
  checkText(rule.name, 'name of a rule', 255);
  const { parents, match } = rule;
  const fields = fieldsOf(`The rule "${rule.name}"`);
  fields.known(rule, FIELDS);
  fields.require(
    'parents',
    Array.isArray(parents) && parents.length > 0 && new Set(parents).size === parents.length,
    'a list of one or more different kinds',
  );
  fields.require(
    'match',
    match === undefined ? parents.length === 1 : typeof match === 'function',
    'a function that says which of several parents belong together, such as ({ data }) => data.date or ({ correlationId }) => correlationId',
  );
  fields.require(
    'data',
    typeof rule.data === 'function',
    'a function that makes the data of the child',
  );
  fields.require('when', whenOf(rule) in COUNTS, either(Object.keys(COUNTS)));
  const withinMs = fields.read('within', () => withinOf(rule));
  fields.require('within', withinMs > 0, 'a duration above 0, such as "2h" or "7d"');
  const { priority } = rule;
  if (priority !== undefined) fields.read('priority', () => checkPriority(priority));
  return rule;
}

/** Checks a rule against the registry: its kinds must be known, or its children would wait for ever. */
export function checkRule(registry: Registry, rule: Rule): Rule {
  defineRule(rule);
  const fields = fieldsOf(`The rule "${rule.name}"`);
  fields.read('child', () => registry.require(rule.child));
  for (const [index, parent] of rule.parents.entries())
    fields.read(`parents[${index}]`, () => registry.require(parent));
  return rule;
}

function whenOf({ when }: Rule): NonNullable<Rule['when']> {
  return when ?? 'succeeded';
}

function withinOf({ within }: Rule): number {
  return storableDelay(toMs(within ?? '7d'));
}

/** Everything that follows from a job's end: rules, its webhook, its cleanup. One mechanism for the three. */
export function dependantsOf(registry: Registry, rules: readonly Rule[]): Dependants {
  const byParent = new Map<string, Rule[]>();
  const names = new Set<string>();
  for (const rule of rules.map((each) => checkRule(registry, each))) {
    if (names.has(rule.name))
      throw new MillraceError(
        'invalid_definition',
        `Two rules are called "${rule.name}". Rename one of them.`,
      );
    names.add(rule.name);
    for (const parent of rule.parents)
      byParent.set(parent, [...(byParent.get(parent) ?? []), rule]);
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
      dependants.push({
        child: child(registry, WEBHOOK_KIND, job, {
          job: job.id,
          state: job.state,
          url: job.webhook,
        }),
      });
    }
    if (cleanup) {
      dependants.push({ child: child(registry, cleanupKindName(job.kind), job, { job: job.id }) });
    }
    return dependants;
  };
}

function follow(registry: Registry, rule: Rule, job: FinishedJob): Dependant | null {
  if (!COUNTS[whenOf(rule)].includes(job.state)) return null;
  const made = applyRule(rule, job);
  if (made === null) return null;
  const childJob = {
    ...child(registry, rule.child, job, made.data),
    ...(rule.priority !== undefined && { priority: rule.priority }),
  };
  // The child of a rule that threw is made at once: at a gate it could wait for parents that never come, and nobody
  // would see the error.
  if (rule.parents.length === 1 || made.threw) return { child: childJob };
  return {
    child: childJob,
    gate: {
      rule: rule.name,
      // Tenants never meet at a gate.
      key: JSON.stringify([job.tenant, made.key]),
      slot: job.kind,
      slots: rule.parents,
      withinMs: withinOf(rule),
    },
  };
}

/**
 * A rule's own code must not stop its parent from ending: what it throws becomes the child's data, which
 * the child's schema then refuses, so that the failure is a dead letter someone sees.
 */
function applyRule(
  rule: Rule,
  job: FinishedJob,
): { key: string; data: unknown; threw: boolean } | null {
  const { id, kind, tenant, state, correlationId } = job;
  try {
    const parent: FinishedParent = {
      id,
      kind,
      tenant,
      state,
      correlationId: correlationId ?? id,
      data: job.payload === null ? null : JSON.parse(job.payload),
    };
    const key = rule.match === undefined ? '' : rule.match(parent);
    if (key == null) return null;
    if (key.length > MATCH_LIMIT)
      throw new Error(`match gave a text of more than ${MATCH_LIMIT} characters`);
    return { key, data: rule.data(parent, key), threw: false };
  } catch (thrown) {
    return {
      key: id,
      data: { ruleFailed: rule.name, parent: id, why: classify(thrown).message },
      threw: true,
    };
  }
}

/** Never throws: a parent that cannot end would be taken over, and stop whoever takes it over, again and again. */
function child(registry: Registry, kind: string, parent: FinishedJob, data: unknown): NewJob {
  return {
    kind,
    payload: storablePayload(data),
    // A kind of another replica, perhaps a newer one, which will run it.
    maxAttempts: registry.get(kind)?.maxAttempts ?? maxAttempts(RETRY.standard),
    tenant: parent.tenant,
    priority: null,
    parents: { [parent.kind]: parent.id },
    // Like the children of a handler, a dependant shares its parent's correlation id: the family is listed by it.
    correlationId: parent.correlationId ?? parent.id,
    ...(parent.submitter !== null && { submitter: parent.submitter }),
    ...(parent.subject !== null && { subject: parent.subject }),
    ...(parent.traceparent !== null && { traceparent: parent.traceparent }),
  };
}

function storablePayload(data: unknown): string {
  try {
    return toJsonText(data, 'data of a rule');
  } catch (thrown) {
    return JSON.stringify({ ruleFailed: true, why: classify(thrown).message });
  }
}
