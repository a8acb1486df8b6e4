import {
  type ClosedGate,
  type FinishedState,
  type Job,
  WEBHOOK_KIND,
  cleanupKindName,
} from '@millrace/engine';
import type { Violations } from './invariants.ts';
import { type JobRecord, tagOf } from './ledger.ts';

/** A rule as the observer knows it. `group` in the data of its parents is what they are matched by. */
export interface ObservedRule {
  readonly name: string;
  readonly parents: readonly string[];
  readonly child: string;
  readonly when: 'succeeded' | 'finished';
  readonly withinMs: number;
}

/**
 * Every job has exactly one reason to exist: someone asked for it, a tick fired, a parent ended. What the
 * accepted writes give reason for is set against what is found in the store, after each of them.
 */
export interface FollowUps {
  /** A job was asked for, by a person or a handler. */
  asked(tag: string): void;
  fired(schedule: string): void;
  ended(record: JobRecord, state: FinishedState, now: number): void;
  found(job: Job): void;
  closed(gate: ClosedGate, now: number): void;
  /** Called when a write has been dealt with: by then the sums must be even. */
  check(during: string): void;
  /** Gives a function that forgets who has come to the gates since. */
  snapshot(): () => void;
}

interface Gate {
  readonly arrived: Record<string, string>;
  readonly since: number;
}

export function createFollowUps(params: {
  rules: readonly ObservedRule[];
  cleanups: readonly string[];
  violations: Violations;
}): FollowUps {
  const { rules, violations } = params;
  const cleanups = new Set(params.cleanups);
  const cleanupKinds = new Set(params.cleanups.map(cleanupKindName));
  const ruleOfChild = new Map(rules.map((rule) => [rule.child, rule]));
  /** Reasons less jobs; what is even is not kept. */
  const balance = new Map<string, number>();
  const gates = new Map<string, Gate>();

  function count(reason: string, by: number): void {
    const sum = (balance.get(reason) ?? 0) + by;
    if (sum === 0) balance.delete(reason);
    else balance.set(reason, sum);
  }

  function ended(record: JobRecord, state: FinishedState, now: number): void {
    if (record.webhook !== null) count(`webhook of ${record.id}`, 1);
    if (state !== 'SUCCEEDED' && cleanups.has(record.kind)) count(`cleanup of ${record.id}`, 1);
    // The rules match by the data, of which nothing is left.
    if (record.erased) return;
    for (const rule of rules) {
      if (!rule.parents.includes(record.kind)) continue;
      if (rule.when === 'succeeded' && state !== 'SUCCEEDED') continue;
      if (rule.parents.length === 1) count(ruleReason(rule, [record.id]), 1);
      else arrive(rule, record, now);
    }
  }

  function arrive(rule: ObservedRule, record: JobRecord, now: number): void {
    const place = gatePlace(rule.name, JSON.stringify([record.tenant, record.group]));
    const gate = gates.get(place) ?? { arrived: {}, since: now };
    gate.arrived[record.kind] = record.id;
    if (Object.keys(gate.arrived).length === rule.parents.length) {
      gates.delete(place);
      count(ruleReason(rule, Object.values(gate.arrived)), 1);
    } else gates.set(place, gate);
  }

  function closed({ rule: name, key, arrived }: ClosedGate, now: number): void {
    const gate = gates.get(gatePlace(name, key));
    const rule = rules.find((each) => each.name === name);
    const what = `gate ${name} ${key} closed with ${Object.values(arrived).toSorted().join(' ')}`;
    if (gate === undefined || rule === undefined)
      return violations.add('gates', `${what}: nobody had come`);
    gates.delete(gatePlace(name, key));
    violations.expect(now > gate.since + rule.withinMs, 'gates', () => `${what}: too early`);
    const came = Object.values(gate.arrived).toSorted().join(' ');
    violations.expect(
      came === Object.values(arrived).toSorted().join(' '),
      'gates',
      () => `${what}, but ${came} had come`,
    );
  }

  function reasonOf(job: Job): string {
    if (job.schedule !== null) return `tick of ${job.schedule}`;
    if (job.kind === WEBHOOK_KIND) return `webhook of ${tagOf(job.payload)}`;
    if (cleanupKinds.has(job.kind)) return `cleanup of ${tagOf(job.payload)}`;
    const rule = ruleOfChild.get(job.kind);
    if (rule !== undefined) return ruleReason(rule, Object.values(job.parents ?? {}));
    return askedReason(tagOf(job.payload));
  }

  return {
    asked: (tag) => count(askedReason(tag), 1),
    fired: (schedule) => count(`tick of ${schedule}`, 1),
    ended,
    closed,
    found: (job) => count(reasonOf(job), -1),
    check(during) {
      for (const [reason, sum] of balance) {
        const what = sum > 0 ? `${sum} missing` : `${-sum} too many`;
        violations.add('followUps', `${reason}: ${what} after ${during}`);
      }
      balance.clear(); // reported once
    },
    snapshot() {
      const then = new Map(
        [...gates].map(([place, gate]) => [place, { ...gate, arrived: { ...gate.arrived } }]),
      );
      return () => {
        gates.clear();
        for (const [place, gate] of then) gates.set(place, gate);
      };
    },
  };
}

function askedReason(tag: string): string {
  return `asked for ${tag}`;
}

function ruleReason(rule: ObservedRule, parents: readonly string[]): string {
  return `${rule.name} of ${parents.toSorted().join(' ')}`;
}

function gatePlace(rule: string, key: string): string {
  return `${rule} ${key}`;
}
