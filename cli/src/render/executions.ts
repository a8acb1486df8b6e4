import { type Execution, failureInWords } from '@millrace/api';
import type { Screen } from '../terminal/screen.ts';
import type { Paint, Style } from './colour.ts';
import { paragraph } from './fields.ts';
import { count } from './number.ts';
import { lasting } from './time.ts';
import { clean } from './width.ts';

const OUTCOME_STYLE: Readonly<Record<Execution['outcome'], Style>> = {
  succeeded: 'green',
  failed: 'red',
  retried: 'yellow',
  canceled: 'yellow',
  lost: 'red',
};
/** Also `Caused by (2 of 5): `, of several errors at once. */
const CAUSED_BY = /\n(?=Caused by(?: \(\d+ of \d+\))?: )/;
/** The second of several errors at once stands beside the first. */
const BESIDE = /^Caused by \((?!1 of )/;
/** The place and how it came there; --json has all. */
const FRAMES_SHOWN = 6;
const LOG_SHOWN = 20;

/**
 * What a job went through, the oldest first: which attempt, when, how long, how it ended and where, and below it why.
 *
 *     1  2026-01-31T09:30:00.120Z  1.2 s  retried    mill-1
 *        Error: The report could not be written.
 *          at write (jobs/report.ts:42:11)
 *          Caused by: Error: read ECONNRESET
 *            at TLSWrap.onStreamRead (node:internal/stream_base_commons:216:20)
 */
export function executionLines(executions: readonly Execution[], screen: Screen): string[] {
  if (executions.length === 0) return [];
  const { paint, columns } = screen;
  const rows = executions.map((execution) => ({
    execution,
    attempt: count(execution.attempt),
    took: lasting(Date.parse(execution.endedAt) - Date.parse(execution.startedAt)),
  }));
  const widest = (texts: readonly string[]): number =>
    Math.max(...texts.map(({ length }) => length));
  const attemptWidth = widest(rows.map(({ attempt }) => attempt));
  const tookWidth = widest(rows.map(({ took }) => took));
  const outcomeWidth = widest(rows.map(({ execution }) => execution.outcome));
  const indent = ' '.repeat(4 + attemptWidth + 2);

  return [
    '',
    `  ${paint('dim', 'executions, each with its attempt')}`,
    ...rows.flatMap(({ execution, attempt, took }) => {
      const { startedAt, outcome, worker, error, stack } = execution;
      const head = [
        attempt.padStart(attemptWidth),
        startedAt,
        took.padStart(tookWidth),
        paint(OUTCOME_STYLE[outcome], outcome) + ' '.repeat(outcomeWidth - outcome.length),
        clean(worker ?? ''),
      ];
      const why = error === null ? [] : paragraph(failureInWords(error), columns - indent.length);
      return [
        `    ${head.join('  ').trimEnd()}`,
        ...why.map((line) => `${indent}${line}`),
        ...stackLines(stack, paint).map((line) => `${indent}${line}`),
        ...logLines(execution, paint).map((line) => `${indent}${line}`),
      ];
    }),
  ];
}

/** The log lines of an execution, if kept, each with its time since the start. */
function logLines({ log, startedAt }: Execution, paint: Paint): string[] {
  const lines = log ?? [];
  const left = lines.length - LOG_SHOWN;
  const shown = lines.slice(-LOG_SHOWN).map(({ at, level, message }) => {
    const after = `+${lasting(Math.max(0, Date.parse(at) - Date.parse(startedAt)))}`;
    const text = clean(message.split('\n', 1)[0] ?? '');
    return `  ${paint('dim', after.padStart(9))}  ${level === 'info' ? text : paint(level === 'error' ? 'red' : 'yellow', text)}`;
  });
  return left > 0 ? [paint('dim', `  … ${count(left)} before, with --json`), ...shown] : shown;
}

/** The first error is named above: only its place is shown. Each cause is deeper than what it caused. */
function stackLines(stack: string | null, paint: Paint): string[] {
  if (stack === null) return [];
  let depth = -1;
  return stack.split(CAUSED_BY).flatMap((part) => {
    if (!BESIDE.test(part)) depth += 1;
    const lines = part.split('\n').map((line) => clean(line.trim()));
    const firstFrame = lines.findIndex((line) => line.startsWith('at '));
    const said = firstFrame === -1 ? lines : lines.slice(0, firstFrame);
    const frames = firstFrame === -1 ? [] : lines.slice(firstFrame);
    const left = frames.length - FRAMES_SHOWN;
    const shown = [
      ...frames.slice(0, FRAMES_SHOWN),
      ...(left > 0 ? [`… ${count(left)} more, with --json`] : []),
    ];
    const indent = '  '.repeat(depth);
    return [
      ...(depth === 0 ? [] : said.map((line) => indent + line)),
      ...shown.map((frame) => paint('dim', `${indent}  ${frame}`)),
    ];
  });
}
