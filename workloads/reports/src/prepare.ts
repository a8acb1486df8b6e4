import { type Caller, nearest, resolveParameters } from '@millrace/workload-kit';
import { chooseOutput } from './catalogue/outputs.ts';
import type { OutputWords } from './catalogue/schema.ts';
import type { CatalogueView, ReportDefinition } from './catalogue/types.ts';
import { identityOf } from './identity/identity.ts';
import { decideRows } from './identity/row-rules.ts';
import type { RowDecision } from './identity/types.ts';
import type { ReportJob } from './job-data.ts';
import type { GivenParameters, ParameterProblem } from './parameters/types.ts';
import { claimsNeeded } from './rules/claims.ts';

export type Prepared =
  | {
      readonly job: ReportJob;
      readonly definition: ReportDefinition;
      readonly decision: Exclude<RowDecision, { see: 'nothing' }>;
    }
  | { readonly refused: Refused };

export interface Refused {
  /** A code of the error table. */
  readonly why: 'report_not_found' | 'invalid_parameters' | 'invalid_format' | 'claim_missing';
  /** A sentence for whoever asked. */
  readonly message: string;
  /** With `invalid_parameters`. */
  readonly problems?: readonly ParameterProblem[];
}

/** What someone asks for, as the data of a job, or why it cannot be had: before a job is made, since nobody waits for a refusal. */
export function prepareReport(
  view: CatalogueView,
  asked: {
    readonly report: string;
    readonly parameters: GivenParameters;
    readonly output: OutputWords;
    readonly caller: Caller;
    /** Milliseconds since 1970. */
    readonly now: number;
  },
): Prepared {
  const definition = view.reports.get(asked.report);
  if (definition === undefined) return { refused: unknownReport(view, asked.report) };
  const { value: report, digest } = definition;
  const { timeZone } = report;
  const resolved = resolveParameters(report.parameters, asked.parameters, {
    now: asked.now,
    timeZone,
  });
  if ('problems' in resolved) {
    const { problems } = resolved;
    const message = problems.map((each) => `${each.parameter}: ${each.message}`).join(' ');
    return { refused: { why: 'invalid_parameters', message, problems } };
  }
  const chosen = chooseOutput(report.outputs, asked.output);
  if ('wrong' in chosen) return { refused: { why: 'invalid_format', message: chosen.wrong } };
  const identity = identityOf(asked.caller, claimsNeeded(view, report.name));
  const decision = decideRows(report, identity);
  if (decision.see === 'nothing')
    return { refused: { why: 'claim_missing', message: decision.why } };
  const { parameters } = asked;
  return {
    job: { report: report.name, digest, parameters, output: chosen.output, identity },
    definition,
    decision,
  };
}

export function unknownReport({ reports, troubled }: CatalogueView, name: string): Refused {
  const [problem] = troubled.find((file) => file.name === name)?.problems ?? [];
  const meant = nearest(name, [...reports.keys()]);
  const help = meant === null ? '' : ` Did you mean "${meant}"?`;
  const message =
    problem === undefined
      ? `There is no report "${name}".${help}`
      : `The report "${name}" has problems in its file: ${problem.file}, line ${problem.line}: ${problem.message}`;
  return { why: 'report_not_found', message };
}
