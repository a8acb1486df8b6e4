import type { PipelineRun, PipelineStep } from '@millrace/pipelines/contract';
import { type Paint, STATE_STYLE } from '../../render/colour.ts';
import { counted } from '../../render/number.ts';
import { clean, cut, cutPainted, widthOf } from '../../render/width.ts';
import { STEP_SIGN, STEP_STYLE, runTook, standing, tookOf } from './step.ts';

export interface Frame {
  readonly now: number;
  readonly columns: number;
  /** There is room for so many lines. */
  readonly rows: number;
  readonly paint: Paint;
}

const TITLE_MOST = 32;

/**
 * A run with a line for each step:
 *
 *     pipe-7  Monthly statements  running  14 s
 *       ✓ Customers with orders  12 s   204 rows
 *       ● A letter for each      2.0 s  ━━━━━───────────  30 %  61 of 204
 *       ○ Mail to the board             waits for A letter for each
 */
export function runView(run: PipelineRun, frame: Frame): string[] {
  const { now, columns, rows, paint } = frame;
  const head = `${run.id}  ${clean(run.title)}  ${paint(STATE_STYLE[run.state], run.state)}  ${paint('dim', runTook(run, now))}`;
  return [head, ...folded(run, frame, rows - 1)].map((line) => cutPainted(line, columns));
}

/** Where the terminal is too low for all steps, those that are over give way first, then those that come last. */
function folded(run: PipelineRun, frame: Frame, room: number): string[] {
  const lines = stepLines(run, frame);
  const surplus = lines.length - room;
  if (surplus <= 0) return lines;
  const firstOpen = run.steps.findIndex(({ state }) => !['done', 'skipped'].includes(state));
  const over = firstOpen === -1 ? run.steps.length : firstOpen;
  // The line that says so takes a row itself.
  const hidden = Math.min(over, surplus + 1);
  if (hidden < 2) return lines.slice(0, room);
  const summary = `  ${frame.paint('green', STEP_SIGN.done)} ${counted(hidden, 'step')} before`;
  return [summary, ...lines.slice(hidden)].slice(0, room);
}

export function stepLines(run: PipelineRun, { now, columns, paint }: Frame): string[] {
  const most = Math.min(TITLE_MOST, Math.max(12, Math.floor(columns / 3)));
  const titles = run.steps.map(({ title }) => cut(clean(title), most));
  const times = run.steps.map((step) => timeOf(step, now));
  const widest = Math.max(0, ...titles.map(widthOf));
  const longest = Math.max(0, ...times.map(widthOf));
  return run.steps.map((step, index) => {
    const title = titles[index] ?? '';
    const time = times[index] ?? '';
    const style = STEP_STYLE[step.state];
    const named = paint(step.state === 'waiting' ? 'dim' : null, title);
    const space = ' '.repeat(widest - widthOf(title));
    const took = longest === 0 ? '' : `  ${paint('dim', time.padEnd(longest))}`;
    const sign = paint(style, STEP_SIGN[step.state]);
    return `  ${sign} ${named}${space}${took}  ${standing(step, run, paint)}`;
  });
}

function timeOf(step: PipelineStep, now: number): string {
  return step.state === 'skipped' ? '' : (tookOf(step, now) ?? '');
}
