/** A pipeline as its file says it, with its defaults. What runs is a copy of it, kept with the run. */
export interface Plan {
  readonly title: string;
  readonly description: string | null;
  /** In the order of the file. Each comes after the steps that it waits for. */
  readonly steps: readonly PlanStep[];
}

export interface PlanStep {
  readonly name: string;
  readonly title: string;
  /** The word for what it has done: `query`, `documents`, `report`, `webhook`, `email`. */
  readonly type: string;
  /** As the file says it, with `${…}` where values go. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The steps that it waits for; none: it is one of the first. */
  readonly after: readonly string[];
  /** All of them have to hold, or the step is skipped. */
  readonly when: readonly Condition[];
  /** What its failure means for those that wait for it. */
  readonly onFailure: OnFailure;
}

export const ON_FAILURE = ['stop', 'continue'] as const;
export type OnFailure = (typeof ON_FAILURE)[number];

/** What holds of one value. */
export interface Condition {
  /** Such as `customers.rows`, or the name of a parameter. */
  readonly of: string;
  readonly test: Test;
  readonly value: Value | readonly Value[];
}

export const TESTS = ['is', 'isNot', 'above', 'atLeast', 'below', 'atMost', 'oneOf'] as const;
export type Test = (typeof TESTS)[number];

export type Value = string | number | boolean | null;

/** The words of steps that there are. Those of other workloads are there where the process runs them. */
export const STEP_TYPES = ['query', 'documents', 'report', 'webhook', 'email'] as const;

export function stepOf({ steps }: Plan, name: string): PlanStep {
  const step = steps.find((each) => each.name === name);
  if (step === undefined) throw new Error(`The plan has no step "${name}".`);
  return step;
}

/** The steps that are over before this one begins: those that it waits for, and those that they wait for. */
export function stepsBefore({ steps }: Pick<Plan, 'steps'>, name: string): ReadonlySet<string> {
  const before = new Set<string>();
  const add = (of: string): void => {
    for (const other of steps.find((each) => each.name === of)?.after ?? []) {
      if (before.has(other)) continue;
      before.add(other);
      add(other);
    }
  };
  add(name);
  return before;
}
