import { type ReportJob, reportJobSchema } from '../job-data.ts';
import { type ReportOutcome, reportOutcomeSchema } from '../result.ts';
import { sightOf } from '../identity/identity.ts';
import type { Given, GivenParameters } from '../parameters/types.ts';
import type { Mapped } from './types.ts';

/** Why a child cannot run after its parents. */
export interface ParentsProblem {
  /** `parent_gone`: retention or an erasure has taken what the child needs. `parents_differ`: they see different rows. */
  readonly code: 'parent_gone' | 'parents_differ';
  readonly message: string;
}

/** A parent as the store has it: the child's job names it by its report. */
export interface ParentJob {
  readonly data: unknown;
  readonly result: unknown;
}

export type ParametersFound =
  | { readonly given: GivenParameters }
  | { readonly problem: ParentsProblem };

/**
 * The parameters of a child that several parents have made: where they meet, only their ids are known, so its first execution
 * reads them. `parents`: by the name of the report, as the child's job has them; null: gone.
 */
export function parametersFromParents(
  job: Pick<ReportJob, 'from' | 'identity'>,
  parents: ReadonlyMap<string, ParentJob | null>,
): ParametersFound {
  const outcomes = new Map<string, ReportOutcome>();
  for (const [report, parent] of parents) {
    const data = reportJobSchema.safeParse(parent?.data);
    const outcome = reportOutcomeSchema.safeParse(parent?.result);
    if (!data.success || !outcome.success) return { problem: gone(report) };
    outcomes.set(report, outcome.data);
    if (!seesTheSame(job, data.data)) return { problem: differing(report) };
  }
  const mapping = job.from?.parameters ?? {};
  for (const mapped of Object.values(mapping))
    if ('from' in mapped && !outcomes.has(mapped.from)) return { problem: gone(mapped.from) };
  return { given: givenBy(mapping, outcomes) };
}

/** A parameter that the parent ran without is left to the child's own default. */
export function givenBy(
  mapping: Readonly<Record<string, Mapped>>,
  outcomes: ReadonlyMap<string, ReportOutcome>,
): GivenParameters {
  const given: Record<string, Given> = {};
  for (const [name, mapped] of Object.entries(mapping)) {
    const value = 'from' in mapped ? ofParent(mapped, outcomes) : mapped.value;
    if (value !== undefined) given[name] = value;
  }
  return given;
}

function ofParent(
  { from, parameter }: { readonly from: string; readonly parameter: string },
  outcomes: ReadonlyMap<string, ReportOutcome>,
): Given | undefined {
  const parameters = outcomes.get(from)?.parameters ?? {};
  return Object.hasOwn(parameters, parameter) ? (parameters[parameter] ?? undefined) : undefined;
}

/** A child that runs as its parents sees no more than each of them. */
function seesTheSame(child: Pick<ReportJob, 'from' | 'identity'>, parent: ReportJob): boolean {
  if (child.from?.asParents !== true) return true;
  const claims = new Set(Object.keys(child.identity.claims));
  return sightOf(child.identity, claims) === sightOf(parent.identity, claims);
}

function gone(report: string): ParentsProblem {
  return {
    code: 'parent_gone',
    message: `The job of ${report} that this one follows from is gone, or what it was given is. Run the report by itself.`,
  };
}

function differing(report: string): ParentsProblem {
  return {
    code: 'parents_differ',
    message: `The job of ${report} ran for someone who sees other rows than this one. Run the reports as one person, or name a service identity in the rule.`,
  };
}
