import { JobFailure } from '@millrace/engine';
import { bindNames } from '@millrace/sql-source';
import { isoDateAt, resolveParameters } from '@millrace/workload-kit';
import type { Compression, TableFormat } from '@millrace/tables';
import type { ReportDefinition } from '../catalogue/types.ts';
import { fileNameOf } from '../catalogue/outputs.ts';
import { decideRows } from '../identity/row-rules.ts';
import type { RowDecision } from '../identity/types.ts';
import { boundValues, typesOf } from '../parameters/bind.ts';
import type { GivenParameters, ResolvedParameters } from '../parameters/types.ts';
import { type ParentJob, parametersFromParents } from '../rules/parents.ts';
import type { Execution } from './workshop.ts';

/** All that is settled before the source is asked. */
export interface Prepared {
  readonly report: ReportDefinition;
  readonly parameters: ResolvedParameters;
  /** The author's SQL with its names bound, and what they are bound to. */
  readonly sql: string;
  readonly values: Readonly<Record<string, string | null>>;
  readonly decision: Exclude<RowDecision, { see: 'nothing' }>;
  readonly choice: { readonly format: TableFormat; readonly compression: Compression | null };
  readonly fileName: string;
}

export async function prepare(execution: Execution): Promise<Prepared> {
  const { workshop, job } = execution;
  const { data } = job;
  const at = data.at ?? job.createdAt;
  const report = await workshop.definition(data.report, data.digest);
  if (report === null)
    throw refused(
      'report_not_found',
      `The definition of "${data.report}" that this run was submitted with is no longer kept. Run the report again.`,
    );
  const { parameters: declared, sql } = report.value;
  const timeZone = data.timeZone ?? report.value.timeZone;
  const given = await givenTo(execution);
  const resolved = resolveParameters(declared, given, { now: at, timeZone });
  if ('problems' in resolved)
    throw refused(
      'invalid_parameters',
      resolved.problems.map(({ parameter, message }) => `${parameter}: ${message}`).join(' '),
    );
  const decision = decideRows(report.value, data.identity);
  if (decision.see === 'nothing') throw refused('claim_missing', decision.why);
  const bound = boundValues(declared, resolved.values);
  const nulls = new Set(bound.filter(({ value }) => value === null).map(({ name }) => name));
  // The table of a pipeline's rows has no SQL.
  const { text } =
    data.rows === undefined
      ? bindNames(sql, typesOf(declared), (name) => nulls.has(name))
      : { text: '' };
  return {
    report,
    parameters: resolved.values,
    sql: text,
    values: Object.fromEntries(bound.map(({ name, value }) => [name, value])),
    decision,
    choice: data.output,
    fileName: fileNameOf(report.value, {
      id: job.id,
      created: isoDateAt(at, timeZone),
      parameters: resolved.values,
      output: data.output,
    }),
  };
}

/** As whoever submitted it gave them, or as a rule takes them from the results of its parents. */
async function givenTo({ job, context }: Execution): Promise<GivenParameters> {
  const { data, parents } = job;
  if (data.from === undefined) return data.parameters ?? {};
  const found = new Map<string, ParentJob | null>();
  for (const [report, id] of Object.entries(parents)) {
    const parent = await context.get(id);
    const isKept = parent?.payload != null && parent.result != null;
    found.set(
      report,
      isKept ? { data: JSON.parse(parent.payload), result: JSON.parse(parent.result) } : null,
    );
  }
  const taken = parametersFromParents(data, found);
  if ('problem' in taken) throw refused(taken.problem.code, taken.problem.message);
  return taken.given;
}

function refused(code: string, message: string): JobFailure {
  return new JobFailure(code, message, { retryable: false });
}
