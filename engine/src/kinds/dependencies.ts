import { type FieldTable, either, fieldsOf } from './definition.ts';
import { type Duration, storableDelay, toMs } from '../time/duration.ts';
import { MillraceError } from '../errors.ts';
import { classify } from '../values/failure.ts';
import type { FinishedJob, NewJob } from '../job.ts';
import { checkText, toJsonText } from '../values/json.ts';
import type { Dependant, Dependants } from '../port.ts';
import { checkPriority } from '../request.ts';
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
  /** The end of a parent that counts. A parent that fails can be retried by hand: it then arrives late. */
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

/**
 * Rules that are data, such as those of report files, and may change while the process runs. What follows from a job of
 * `parents` is asked for at its end, inside the transaction that ends it: `follow` is pure, and may be asked again.
 */
export interface RuleBook {
  readonly name: string;
  /** Kinds whose ends it is asked about. */
  readonly parents: readonly string[];
  /** Kinds that it may make, also of other processes: a job of a kind that nobody has waits, and `explain` says so. */
  readonly children: readonly string[];
  readonly follow: (parent: FinishedParent) => readonly Follower[];
}

/** A job that follows from the end of another. */
export interface Follower {
  /** One of the book's `children`. */
  readonly child: string;
  readonly data: unknown;
  readonly priority?: number;
  /** Instead of who submitted the parent. */
  readonly submitter?: string;
  /** Left out: the job is made at once. */
  readonly gate?: Gate;
}

/** Where jobs that belong together wait for each other: the child is made when one of each slot has come. */
export interface Gate {
  /** With `key` it names the gate, for the jobs of one tenant. */
  readonly rule: string;
  readonly key: string;
  /** The one of `slots` that this job is. */
  readonly slot: string;
  readonly slots: readonly string[];
  /** How long the first one waits for the others: 7 days unless given. */
  readonly within?: Duration;
}

export interface FinishedParent {
  readonly id: string;
  readonly kind: string;
  readonly tenant: string;
  readonly state: FinishedState;
  readonly correlationId: string;
  readonly submitter: string | null;
  /** Null when the job was erased, or its payload purged. */
  readonly data: unknown;
  /** The result of a job that succeeded. */
  readonly result: unknown;
}

const COUNTS: Readonly<Record<NonNullable<Rule['when']>, readonly FinishedState[]>> = {
  succeeded: ['SUCCEEDED'],
  failed: ['FAILED'],
  finished: FINISHED_STATES,
};

const NONE: readonly Dependant[] = [];
/** The longest match key: gates are found by it, and a database index takes no longer ones. */
const MATCH_LIMIT = 255;
const KEEP_GATE = '7d';

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
  const withinMs = fields.read('within', () => delayOf(rule.within));
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

function delayOf(within: Duration = KEEP_GATE): number {
  return storableDelay(toMs(within));
}

/** Everything that follows from a job's end: rules, its webhook, its cleanup. One mechanism for the three. */
export function dependantsOf(
  registry: Registry,
  rules: readonly Rule[],
  books: readonly RuleBook[] = [],
): Dependants {
  const byParent = new Map<string, RuleBook[]>();
  const names = new Set<string>();
  const all = [...rules.map((each) => bookOf(checkRule(registry, each))), ...books];
  for (const book of all) {
    if (names.has(book.name))
      throw new MillraceError(
        'invalid_definition',
        `Two rules are called "${book.name}". Rename one of them.`,
      );
    names.add(book.name);
    for (const kind of book.parents) registry.require(kind);
    for (const parent of book.parents)
      byParent.set(parent, [...(byParent.get(parent) ?? []), book]);
  }
  return (job) => {
    const booksOfKind = byParent.get(job.kind);
    const cleanup = job.state !== 'SUCCEEDED' && registry.get(job.kind)?.hasCleanup === true;
    // Most jobs have nothing that follows: no allocation for them.
    if (booksOfKind === undefined && job.webhook === null && !cleanup) return NONE;
    const dependants: Dependant[] = [];
    if (booksOfKind !== undefined) {
      const parent = parentOf(job);
      for (const book of booksOfKind)
        for (const follower of followersBy(book, parent))
          dependants.push(dependantBy(registry, follower, job));
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

/** A rule in code is a book of one page. */
function bookOf(rule: Rule): RuleBook {
  const { name, parents, child: kind, priority } = rule;
  const counts = COUNTS[whenOf(rule)];
  return {
    name,
    parents,
    children: [kind],
    follow(parent) {
      if (!counts.includes(parent.state)) return [];
      const key = rule.match === undefined ? '' : rule.match(parent);
      if (key == null) return [];
      // Checked after `match` too, and before `data` is asked: a rule that pairs by a wrong key must not run on.
      checkKey(key);
      const follower = {
        child: kind,
        data: rule.data(parent, key),
        ...(priority !== undefined && { priority }),
      };
      if (parents.length === 1) return [follower];
      const gate: Gate = {
        rule: name,
        key,
        slot: parent.kind,
        slots: parents,
        ...(rule.within !== undefined && { within: rule.within }),
      };
      return [{ ...follower, gate }];
    },
  };
}

function checkKey(key: string): void {
  if (key.length > MATCH_LIMIT)
    throw new Error(`match gave a text of more than ${MATCH_LIMIT} characters`);
}

function parentOf(job: FinishedJob): FinishedParent {
  const { id, kind, tenant, state, correlationId, submitter, payload, result } = job;
  return {
    id,
    kind,
    tenant,
    state,
    correlationId: correlationId ?? id,
    submitter,
    data: payload === null ? null : JSON.parse(payload),
    result: result === null ? null : JSON.parse(result),
  };
}

/**
 * A rule's own code must not stop its parent from ending: what it throws becomes the data of a child, which the child's
 * schema then refuses, so that the failure is a dead letter someone sees. That child is made at once: at a gate it could
 * wait for parents that never come, and nobody would see the error.
 */
function followersBy(book: RuleBook, parent: FinishedParent): readonly Follower[] {
  try {
    const followers = book.follow(parent);
    for (const { gate } of followers)
      if (gate !== undefined) {
        checkKey(gate.key);
        delayOf(gate.within);
      }
    return followers;
  } catch (thrown) {
    const [kind = parent.kind] = book.children;
    const why = classify(thrown).message;
    return [{ child: kind, data: { ruleFailed: book.name, parent: parent.id, why } }];
  }
}

function dependantBy(registry: Registry, follower: Follower, job: FinishedJob): Dependant {
  const { priority, submitter, gate } = follower;
  const made = {
    ...child(registry, follower.child, job, follower.data),
    ...(priority !== undefined && { priority }),
    ...(submitter !== undefined && { submitter }),
  };
  if (gate === undefined) return { child: made };
  return {
    child: made,
    gate: {
      rule: gate.rule,
      // Tenants never meet at a gate.
      key: JSON.stringify([job.tenant, gate.key]),
      slot: gate.slot,
      slots: gate.slots,
      withinMs: delayOf(gate.within),
    },
  };
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
