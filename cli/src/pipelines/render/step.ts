import type { PipelineRun, PipelineStep } from '@millrace/pipelines/contract';
import { hasEnded } from '../../jobs/ended.ts';
import { bar, fractionOf, percent } from '../../render/bar.ts';
import type { Paint, Style } from '../../render/colour.ts';
import { count, counted, size } from '../../render/number.ts';
import { lasting } from '../../render/time.ts';
import { clean } from '../../render/width.ts';

export const STEP_STYLE: Readonly<Record<PipelineStep['state'], Style | null>> = {
  waiting: 'dim',
  running: 'cyan',
  done: 'green',
  skipped: 'dim',
  failed: 'red',
  canceled: 'yellow',
};

/** One column each, so that titles stand below each other; distinguishable without colour. */
export const STEP_SIGN: Readonly<Record<PipelineStep['state'], string>> = {
  waiting: '○',
  running: '●',
  done: '✓',
  skipped: '–',
  failed: '✗',
  canceled: '■',
};

const BAR_COLUMNS = 16;

/** Where a step stands, beside its sign and title. */
export function standing(step: PipelineStep, run: PipelineRun, paint: Paint): string {
  switch (step.state) {
    case 'waiting':
      return paint('dim', waitsFor(step, run));
    case 'running':
      return runningInWords(step, paint);
    case 'done':
      return outcome(step);
    case 'skipped':
      return paint('dim', skippedBecause(step));
    case 'failed':
      return paint('red', clean(step.error?.message ?? 'failed'));
    case 'canceled':
      return paint('yellow', 'cancelled');
  }
}

function runningInWords({ progress, error }: PipelineStep, paint: Paint): string {
  const trouble = error === null ? '' : `  ${paint('yellow', clean(error.message))}`;
  if (progress === null) return `running${trouble}`;
  const { done, total, note } = progress;
  const said = note === null ? '' : `  ${paint('dim', clean(note))}`;
  if (total === null) return `${done === 0 ? 'running' : `${count(done)} so far`}${said}${trouble}`;
  const fraction = fractionOf(done, total);
  const drawn = `${bar(fraction, BAR_COLUMNS, paint)} ${percent(fraction).padStart(5)}`;
  return `${drawn}  ${count(done)} of ${count(total)}${said}${trouble}`;
}

/** Only those that are not over. */
function waitsFor({ after }: PipelineStep, { state, steps }: PipelineRun): string {
  const open = steps.filter((each) => after.includes(each.name) && !isPassed(each));
  if (hasEnded(state)) return 'not begun';
  if (open.length === 0) return 'about to begin';
  return `waits for ${open.map(({ title }) => clean(title)).join(' and ')}`;
}

/** Those behind it go on. */
function isPassed({ state, onFailure }: PipelineStep): boolean {
  return (
    state === 'done' || state === 'skipped' || (state === 'failed' && onFailure === 'continue')
  );
}

export function skippedBecause({ when }: PipelineStep): string {
  return when === null ? 'skipped: nothing before it' : `skipped: only when ${clean(when)}`;
}

/** `204 rows`, `203 of 204 documents`: what a step has made. Ids and names are in `pipeline show`. */
export function outcome({ output, type }: PipelineStep): string {
  const { rows, bytes, total, succeeded } = output ?? {};
  const parts = [
    ...(typeof rows === 'number' ? [counted(rows, 'row')] : []),
    ...(typeof bytes === 'number' ? [size(bytes)] : []),
    ...(typeof succeeded === 'number' && typeof total === 'number'
      ? [madeOf(succeeded, total)]
      : []),
  ];
  if (parts.length > 0) return parts.join(', ');
  return type === 'email' || type === 'webhook' ? 'sent' : 'done';
}

function madeOf(succeeded: number, total: number): string {
  const all = counted(total, 'document');
  return succeeded === total ? all : `${count(succeeded)} of ${all}`;
}

/** Null: it has not begun. */
export function tookOf(
  { startedAt, finishedAt }: Pick<PipelineStep, 'startedAt' | 'finishedAt'>,
  now: number,
): string | null {
  if (startedAt === null) return null;
  return lasting((finishedAt === null ? now : Date.parse(finishedAt)) - Date.parse(startedAt));
}

export function runTook({ createdAt, finishedAt }: PipelineRun, now: number): string {
  return lasting((finishedAt === null ? now : Date.parse(finishedAt)) - Date.parse(createdAt));
}
