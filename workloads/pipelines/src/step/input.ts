import { JobFailure } from '@millrace/engine';
import { type FileOf, type RowsOf, checkSchema } from '@millrace/workload-kit';
import { type PlanStep, stepOf } from '../definition/plan.ts';
import { MissingValue, filledIn } from '../definition/references.ts';
import type { PipelineRunRecord } from '../runs/pipeline-run.ts';
import { lookupOf } from '../runs/values.ts';
import type { Work } from './work.ts';

/** What a step is begun with: the file's words with values in the place of names. Throws what would be the same each time. */
export function inputOf(
  run: PipelineRunRecord,
  node: PlanStep,
  work: Work,
  files: ReadonlyMap<string, FileOf>,
): unknown {
  const filled = fill(run, node, work, files);
  const checked = checkSchema(work.input, filled);
  if ('value' in checked) return filled;
  const [complaint] = checked.complaints;
  const place = ['steps', node.name, node.type, ...(complaint?.path ?? [])].join('.');
  throw refused('invalid_step', `${place}: ${complaint?.message ?? 'This does not fit.'}`);
}

function fill(
  run: PipelineRunRecord,
  node: PlanStep,
  { literal = [] }: Work,
  files: ReadonlyMap<string, FileOf>,
): Record<string, unknown> {
  try {
    return filledIn(node.input, literal, lookupOf(run), {
      rowsOf: (name) => rowsOf(run, name),
      fileOf(name) {
        const file = files.get(name);
        if (file === undefined) throw new MissingValue(`There is no file "${name}" in the run.`);
        return file;
      },
    });
  } catch (error) {
    if (!(error instanceof MissingValue)) throw error;
    throw refused('invalid_step', `steps.${node.name}: ${error.message}`);
  }
}

/** Where the rows of an earlier step are. */
function rowsOf({ plan, steps }: PipelineRunRecord, name: string): RowsOf {
  const id = steps.find(({ step }) => step === name)?.startedId ?? null;
  if (id === null) throw refused('rows_missing', `The step "${name}" has made nothing to work on.`);
  return { step: stepOf(plan, name).type, id };
}

function refused(code: string, message: string): JobFailure {
  return new JobFailure(code, message, { retryable: false });
}
