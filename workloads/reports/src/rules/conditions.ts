import { readUnbound } from '@millrace/workload-kit';
import type { Report } from '../catalogue/types.ts';
import type { ReportJob } from '../job-data.ts';
import type { ReportOutcome } from '../result.ts';
import type { Parameter } from '../parameters/types.ts';
import type { AfterCondition } from './types.ts';

/** Whether a parent is as a rule asks. `report`: its definition now, which says how its values are written. */
export function fulfils(
  { rows, parameters, as }: AfterCondition,
  { job, outcome }: { readonly job: ReportJob; readonly outcome: ReportOutcome },
  report: Report | null,
): boolean {
  if (rows !== null && !(outcome.rows > (rows.above ?? -1))) return false;
  if (rows !== null && !(outcome.rows < (rows.below ?? Infinity))) return false;
  if (as !== null && job.identity.service !== as) return false;
  return Object.entries(parameters).every(([name, allowed]) => {
    const value = Object.hasOwn(outcome.parameters, name) ? outcome.parameters[name] : null;
    const parameter = report?.parameters.find((each) => each.name === name);
    const wanted = allowed.map((each) => (each === null ? null : written(parameter, each)));
    // Of a list any one.
    const values = typeof value === 'string' ? [value] : value == null ? [null] : value;
    return values.some((each) => wanted.includes(each));
  });
}

/** `+19` in a file is the 19 of a job. */
function written(parameter: Parameter | undefined, text: string): string {
  if (parameter === undefined) return text;
  const read = readUnbound({ ...parameter, list: false }, text, 0);
  return 'value' in read ? read.value : text;
}
