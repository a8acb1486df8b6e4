import { failureInWords } from '@millrace/api';
import type { ReportRun } from '@millrace/reports/contract';
import { parametersInWords } from '../../parameters/render.ts';
import { bar, percent } from '../../render/bar.ts';
import type { Paint, Style } from '../../render/colour.ts';
import { type Field, fieldLines } from '../../render/fields.ts';
import { count, counted, size } from '../../render/number.ts';
import type { Column } from '../../render/table.ts';
import { lasting, relative } from '../../render/time.ts';
import type { Screen } from '../../terminal/screen.ts';

const STATE_STYLE: Readonly<Record<ReportRun['state'], Style | null>> = {
  QUEUED: null,
  PROCESSING: 'cyan',
  SUCCEEDED: 'green',
  FAILED: 'red',
  CANCELED: 'yellow',
};
const BAR_COLUMNS = 24;

/** `pg-42  ━━━━━━━━────────  52 %  24,000 of about 46,000 rows  31,500 rows/s  2 s left`. */
export function runLine(run: ReportRun, now: number, paint: Paint): string {
  const { id, state, progress, error, cancelRequested } = run;
  if (progress === null || state === 'QUEUED') {
    const why = error === null ? '' : `  ${paint('yellow', error.message)}`;
    return `${id}  ${paint(STATE_STYLE[state], state)}  ${tookOf(run, now)}${why}`;
  }
  const { rows, total, rowsPerSecond, etaSeconds } = progress;
  const fraction = fractionOf(run);
  const parts = [
    ...(fraction === null
      ? [paint(STATE_STYLE[state], state)]
      : [`${bar(fraction, BAR_COLUMNS, paint)} ${percent(fraction).padStart(5)}`]),
    total === null || state === 'SUCCEEDED'
      ? counted(rows, 'row')
      : `${count(rows)} of about ${counted(total, 'row')}`,
    rowsPerSecond === null ? '' : `${count(rowsPerSecond)} rows/s`,
    etaSeconds === null ? '' : `${lasting(etaSeconds * 1_000)} left`,
    cancelRequested ? paint('yellow', 'stopping') : '',
  ];
  return `${id}  ${parts.filter((part) => part !== '').join('  ')}`;
}

function fractionOf({ progress }: ReportRun): number | null {
  return progress?.percent == null ? null : progress.percent / 100;
}

/** For a log: `pg-42 PROCESSING 50 %`, a line for each tenth. */
export function logLine(run: ReportRun): string {
  const { id, state, progress, error } = run;
  const tenth = Math.floor((progress?.percent ?? 0) / 10) * 10;
  if (state === 'PROCESSING' && tenth > 0) return `${id} PROCESSING ${tenth} %`;
  if (state === 'QUEUED' && error !== null) return `${id} QUEUED (${error.message})`;
  return `${id} ${state}`;
}

export function tookOf({ createdAt, finishedAt }: ReportRun, now: number): string {
  return lasting((finishedAt === null ? now : Date.parse(finishedAt)) - Date.parse(createdAt));
}

/** `48,210 rows, 5.8 MB, 1.8 s, 27,000 rows/s.` */
export function runSummary(run: ReportRun, now: number): string {
  const { result, progress } = run;
  const rate = progress?.rowsPerSecond == null ? [] : [`${count(progress.rowsPerSecond)} rows/s`];
  const parts = [
    counted(result?.rows ?? 0, 'row'),
    size(result?.bytes ?? 0),
    tookOf(run, now),
    ...rate,
  ];
  return `${parts.join(', ')}.`;
}

/** Why a run has no file, in a sentence. */
export function endSentence({ id, state, error }: ReportRun): string {
  if (state === 'CANCELED') return `${id} was cancelled.`;
  return `${id} failed: ${error === null ? 'the reason is unknown.' : `${error.message} (${error.code})`}`;
}

export function runDetail(run: ReportRun, now: number, screen: Screen): string[] {
  const { state, progress, result, error } = run;
  const packed = run.compression === null ? '' : `, ${run.compression}`;
  const fields: Field[] = [
    ['report', run.report],
    ['parameters', parametersInWords(run.parameters) || 'none'],
    ['format', `${run.format}${packed}`],
    ['error', error === null ? null : failureInWords(error)],
    ['progress', progress === null || result !== null ? null : progressInWords(progress)],
    ['rows', result === null ? null : count(result.rows)],
    ['file', result === null ? null : `${result.fileName}, ${size(result.bytes)}`],
    ['sha-256', result?.sha256 ?? null],
    ['note', result?.note ?? null],
    ['file until', untilOf(result, now)],
    ['chunks', progress === null ? null : count(progress.chunks)],
    ['resumed', run.resumes === 0 ? null : counted(run.resumes, 'time')],
    ['by', run.submitter],
    ['schedule', run.schedule],
    ['after', run.parents.length === 0 ? null : run.parents.join(', ')],
    ['made', `${run.createdAt} (${relative(run.createdAt, now)})`],
    ['took', run.finishedAt === null ? null : tookOf(run, now)],
    ['correlation', run.correlationId],
  ];
  const { paint } = screen;
  return [`${run.id}  ${paint(STATE_STYLE[state], state)}`, ...fieldLines(fields, screen)];
}

function progressInWords(progress: NonNullable<ReportRun['progress']>): string {
  const { rows, bytes, percent: done, rowsPerSecond, etaSeconds } = progress;
  const parts = [
    ...(done === null ? [] : [`${done} %`]),
    counted(rows, 'row'),
    size(bytes),
    ...(rowsPerSecond === null ? [] : [`${count(rowsPerSecond)} rows/s`]),
    ...(etaSeconds === null ? [] : [`${lasting(etaSeconds * 1_000)} left`]),
  ];
  return parts.join(', ');
}

function untilOf(result: ReportRun['result'], now: number): string | null {
  if (result === null) return null;
  if (!result.available) return 'no longer there';
  return result.expiresAt === null
    ? 'somebody removes it'
    : `${result.expiresAt} (${relative(result.expiresAt, now)})`;
}

/** Why it failed, or why it waits. */
function noteOf({ error }: ReportRun): string {
  return error?.message ?? '';
}

const NOTE: Column<ReportRun> = {
  header: 'NOTE',
  shrinkTo: 12,
  leaveOut: 1,
  cell: noteOf,
  style: ({ state }) => (state === 'FAILED' ? 'red' : 'yellow'),
};

export function runColumns(now: number, runs: readonly ReportRun[]): Column<ReportRun>[] {
  return [
    { header: 'RUN', cell: ({ id }) => id },
    { header: 'REPORT', shrinkTo: 8, cell: ({ report }) => report },
    { header: 'STATE', cell: ({ state }) => state, style: ({ state }) => STATE_STYLE[state] },
    {
      header: 'ROWS',
      align: 'right',
      cell: ({ progress }) => (progress === null ? '-' : count(progress.rows)),
    },
    {
      header: 'DONE',
      align: 'right',
      leaveOut: 5,
      cell: ({ progress }) => (progress?.percent == null ? '-' : `${progress.percent} %`),
    },
    { header: 'TOOK', align: 'right', leaveOut: 3, cell: (run) => tookOf(run, now) },
    { header: 'MADE', leaveOut: 2, cell: ({ createdAt }) => relative(createdAt, now) },
    { header: 'BY', shrinkTo: 6, leaveOut: 6, cell: ({ submitter }) => submitter ?? '-' },
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
