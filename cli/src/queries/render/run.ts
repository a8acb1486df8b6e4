import { failureInWords } from '@millrace/api';
import type { Run } from '@millrace/queries/contract';
import type { Paint, Style } from '../../render/colour.ts';
import { type Field, fieldLines } from '../../render/fields.ts';
import { count, counted } from '../../render/number.ts';
import type { Column } from '../../render/table.ts';
import { lasting, relative } from '../../render/time.ts';
import { clean } from '../../render/width.ts';
import type { Screen } from '../../terminal/screen.ts';

const STATUS_STYLE: Readonly<Record<Run['status'], Style | null>> = {
  queued: null,
  running: 'cyan',
  ready: 'green',
  failed: 'red',
  canceled: 'yellow',
};

/** `run-7  running  12 s  Marketing Cloud: Processing`. */
export function runLine(run: Run, now: number, paint: Paint): string {
  const { id, status, mceStatus, trouble = null, waitsFor = null } = run;
  const word = trouble ?? mceStatus;
  const waits = waitsFor === null ? '' : `. ${clean(waitsFor)}`;
  const said = word === null ? '' : `  Marketing Cloud: ${clean(word)}${waits}`;
  return `${id}  ${paint(STATUS_STYLE[status], status)}  ${tookOf(run, now)}${paint('dim', said)}`;
}

function tookOf({ createdAt, finishedAt }: Run, now: number): string {
  return lasting((finishedAt === null ? now : Date.parse(finishedAt)) - Date.parse(createdAt));
}

/** A run in one line: rows, time and calls. */
export function runSummary(run: Run, now: number): string {
  const { rowCount, apiCalls } = run;
  const calls = `${counted(apiCalls, 'call')} to Marketing Cloud`;
  if (rowCount === 0)
    return `0 rows: the query ran, and nothing matched. ${tookOf(run, now)}, ${calls}.`;
  return `${counted(rowCount ?? 0, 'row')}, ${tookOf(run, now)}, ${calls}.`;
}

/** Why a run has no rows, in a sentence. */
export function endSentence({ id, status, error }: Run): string {
  if (status === 'canceled') return `${id} was cancelled.`;
  return `${id} failed: ${error === null ? 'the reason is unknown.' : `${error.message} (${error.code})`}`;
}

export function runDetail(run: Run, now: number, screen: Screen): string[] {
  const fields: Field[] = [
    ['status', run.status],
    ['says', run.mceStatus],
    ['trouble', run.trouble ?? null],
    ['waits for', run.waitsFor ?? null],
    ['error', run.error === null ? null : failureInWords(run.error)],
    ['rows', run.rowCount === null ? null : count(run.rowCount)],
    ['columns', run.columns?.map(({ name, type }) => `${name} (${type})`).join(', ') ?? null],
    ['mid', run.mid],
    ['snippet', run.snippetName],
    ['by', run.submitter],
    ['started', `${run.createdAt} (${relative(run.createdAt, now)})`],
    ['took', run.finishedAt === null ? null : tookOf(run, now)],
    [
      'cost',
      `${counted(run.apiCalls, 'call')} to Marketing Cloud, ${counted(run.pollCount, 'poll')}`,
    ],
    [
      'rows until',
      run.resultsExpireAt === null || run.status !== 'ready'
        ? null
        : `${run.resultsExpireAt} (${relative(run.resultsExpireAt, now)})`,
    ],
    ['sql', run.sqlText],
  ];
  const { paint } = screen;
  return [
    `${run.id}  ${paint(STATUS_STYLE[run.status], run.status)}`,
    ...fieldLines(fields.slice(1), screen),
  ];
}

/** Why it failed, or why it waits. */
function noteOf({ error, trouble }: Run): string {
  return error?.message ?? trouble ?? '';
}

const NOTE: Column<Run> = {
  header: 'NOTE',
  shrinkTo: 12,
  leaveOut: 1,
  cell: noteOf,
  style: ({ status }) => (status === 'failed' ? 'red' : 'yellow'),
};

export function runColumns(now: number, runs: readonly Run[]): Column<Run>[] {
  return [
    { header: 'RUN', cell: ({ id }) => id },
    { header: 'STATUS', cell: ({ status }) => status, style: ({ status }) => STATUS_STYLE[status] },
    {
      header: 'ROWS',
      align: 'right',
      cell: ({ rowCount }) => (rowCount === null ? '-' : count(rowCount)),
    },
    { header: 'TOOK', align: 'right', leaveOut: 3, cell: (run) => tookOf(run, now) },
    { header: 'CALLS', align: 'right', leaveOut: 4, cell: ({ apiCalls }) => count(apiCalls) },
    { header: 'MID', leaveOut: 5, cell: ({ mid }) => mid },
    { header: 'MADE', leaveOut: 2, cell: ({ createdAt }) => relative(createdAt, now) },
    { header: 'BY', shrinkTo: 6, leaveOut: 6, cell: ({ submitter }) => submitter ?? '-' },
    {
      header: 'SQL',
      shrinkTo: 12,
      leaveOut: 1,
      cell: ({ sqlText }) => sqlText.replaceAll(/\s+/g, ' ').trim(),
      style: () => 'dim',
    },
    ...(runs.some((run) => noteOf(run) !== '') ? [NOTE] : []),
  ];
}
