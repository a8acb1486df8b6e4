import { JOB_ERRORS } from '@millrace/api';
import type { PipelineRun, PipelineStep } from '@millrace/pipelines/contract';
import { parametersInWords } from '../../parameters/render.ts';
import { STATE_STYLE } from '../../render/colour.ts';
import { type Field, fieldLines, paragraph } from '../../render/fields.ts';
import { counted } from '../../render/number.ts';
import type { Column } from '../../render/table.ts';
import { relative } from '../../render/time.ts';
import { clean } from '../../render/width.ts';
import type { Screen } from '../../terminal/screen.ts';
import { runTook } from './step.ts';
import { stepLines } from './view.ts';

export function runDetail(run: PipelineRun, now: number, screen: Screen): string[] {
  const { paint } = screen;
  const fields: Field[] = [
    ['pipeline', run.title === run.pipeline ? run.pipeline : `${run.pipeline}: ${run.title}`],
    ['parameters', parametersInWords(run.parameters) || 'none'],
    ['by', run.submitter],
    ['schedule', run.schedule],
    ['made', `${run.createdAt} (${relative(run.createdAt, now)})`],
    ['took', run.finishedAt === null ? null : runTook(run, now)],
    ['file', run.fileChanged ? 'has changed since; the run goes by what it said then' : null],
  ];
  const view = { now, columns: screen.columns, rows: Infinity, paint };
  return [
    `${run.id}  ${paint(STATE_STYLE[run.state], run.state)}`,
    ...fieldLines(fields, screen),
    '',
    ...stepLines(run, view),
    ...run.steps.flatMap((step) => stepDetail(step, screen)),
    ...adviceLines(run, screen),
  ];
}

/** The details of a step below its line; none for a waiting one. */
function stepDetail(step: PipelineStep, screen: Screen): string[] {
  const { error, output, thing, jobId } = step;
  const fields: Field[] = [
    ['error', error === null ? null : `${error.message} (${error.code})`],
    ['help', error === null ? null : helpOf(error.code)],
    ['output', output === null ? null : outputInWords(output)],
    ['began', thing?.id ?? null],
    ['job', jobId],
    ['try', step.try > 1 ? String(step.try) : null],
  ];
  const lines = fieldLines(fields, screen);
  if (lines.length === 0) return [];
  return ['', `  ${screen.paint('bold', step.name)} ${screen.paint('dim', step.type)}`, ...lines];
}

function outputInWords(output: NonNullable<PipelineStep['output']>): string | null {
  const known = Object.entries(output).filter(([, value]) => value !== null);
  return known.length === 0
    ? null
    : known.map(([name, value]) => `${name}=${String(value)}`).join(' ');
}

/** Advice about a failure; null if the code is a handler's own. */
export function helpOf(code: string): string | null {
  const table: Readonly<Record<string, { readonly help: string }>> = JOB_ERRORS;
  return Object.hasOwn(table, code) ? (table[code]?.help ?? null) : null;
}

/** Says what resuming would do, and how. */
export function adviceLines(run: PipelineRun, screen: Screen): string[] {
  const plan = resumePlan(run);
  if (plan === null) return [];
  const withFile = run.fileChanged
    ? ' The file has changed since: add --with-file to go by it.'
    : '';
  const sentence = `"millrace pipeline resume ${run.id}" ${resumeSentence(plan)}${withFile}`;
  return ['', ...paragraph(sentence, screen.columns - 2).map((line) => `  ${line}`)];
}

/** `pipe-7 succeeded: 3 steps, 14 s.` */
export function endSentence(run: PipelineRun, now: number): string {
  const { id, state, steps } = run;
  if (state === 'CANCELED') return `${id} was cancelled.`;
  if (state === 'SUCCEEDED') {
    const skipped = steps.filter((step) => step.state === 'skipped').length;
    const failed = steps.filter((step) => step.state === 'failed').length;
    const parts = [
      counted(steps.length, 'step'),
      ...(skipped === 0 ? [] : [`${skipped} skipped`]),
      ...(failed === 0 ? [] : [`${failed} failed and skipped`]),
      runTook(run, now),
    ];
    return `${id} succeeded: ${parts.join(', ')}.`;
  }
  const broken = steps.filter((step) => step.state === 'failed' && step.onFailure === 'stop');
  const why = broken.map(({ name, error }) =>
    error === null ? name : `${name}: ${clean(error.message)} (${error.code})`,
  );
  return `${id} failed. ${why.join(' ')}`.trimEnd();
}

/** Why it failed. */
function noteOf({ steps }: PipelineRun): string {
  const broken = steps.find((step) => step.state === 'failed' && step.error !== null);
  return broken === undefined ? '' : `${broken.name}: ${broken.error?.message ?? ''}`;
}

const NOTE: Column<PipelineRun> = {
  header: 'NOTE',
  shrinkTo: 12,
  leaveOut: 1,
  cell: noteOf,
  style: ({ state }) => (state === 'FAILED' ? 'red' : 'yellow'),
};

export function runColumns(now: number, runs: readonly PipelineRun[]): Column<PipelineRun>[] {
  return [
    { header: 'RUN', cell: ({ id }) => id },
    { header: 'PIPELINE', shrinkTo: 8, cell: ({ pipeline }) => pipeline },
    { header: 'STATE', cell: ({ state }) => state, style: ({ state }) => STATE_STYLE[state] },
    { header: 'STEPS', align: 'right', cell: stepsDone },
    { header: 'TOOK', align: 'right', leaveOut: 3, cell: (run) => runTook(run, now) },
    { header: 'MADE', leaveOut: 2, cell: ({ createdAt }) => relative(createdAt, now) },
    {
      header: 'BY',
      shrinkTo: 6,
      leaveOut: 5,
      cell: ({ submitter, schedule }) => submitter ?? schedule ?? '-',
    },
    {
      header: 'PARAMETERS',
      shrinkTo: 12,
      leaveOut: 4,
      cell: ({ parameters }) => parametersInWords(parameters),
      style: () => 'dim',
    },
    ...(runs.some((run) => noteOf(run) !== '') ? [NOTE] : []),
  ];
}

/** `2/5`: those that are over well, a skipped one among them. */
function stepsDone({ steps }: PipelineRun): string {
  const over = steps.filter(({ state }) => state === 'done' || state === 'skipped');
  return `${over.length}/${steps.length}`;
}

/** The effect of "millrace pipeline resume" on a failed or cancelled run, by the server's rules. */
interface ResumePlan {
  readonly again: readonly PipelineStep[];
  /** They wait for those that are tried again. */
  readonly after: readonly PipelineStep[];
  /** They are not done once more. */
  readonly kept: readonly PipelineStep[];
}

/** Null: there is nothing to resume. */
function resumePlan({ state, steps }: PipelineRun): ResumePlan | null {
  if (state !== 'FAILED' && state !== 'CANCELED') return null;
  // One that was cancelled before it began is not tried again: it is done for the first time.
  const isNew = (step: PipelineStep): boolean =>
    step.state === 'waiting' || (step.state === 'canceled' && step.startedAt === null);
  const isBroken = (step: PipelineStep): boolean =>
    step.state === 'canceled' || (step.state === 'failed' && step.onFailure !== 'continue');
  return {
    again: steps.filter((step) => isBroken(step) && !isNew(step)),
    after: steps.filter(isNew),
    kept: steps.filter((step) => step.state === 'done'),
  };
}

/** `tries letters again, then does mail. customers is not run again.` */
function resumeSentence({ again, after, kept }: ResumePlan): string {
  const parts = [
    ...(again.length === 0 ? [] : [`tries ${names(again)} again`]),
    ...(after.length === 0 ? [] : [`${again.length === 0 ? '' : 'then '}does ${names(after)}`]),
  ];
  const stays =
    kept.length === 0 ? '' : ` ${names(kept)} ${kept.length === 1 ? 'is' : 'are'} not run again.`;
  return `${parts.join(', ')}.${stays}`;
}

function names(steps: readonly PipelineStep[]): string {
  return new Intl.ListFormat('en').format(steps.map(({ name }) => name));
}
