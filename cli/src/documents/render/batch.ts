import { failureInWords } from '@millrace/api';
import type { Batch } from '@millrace/documents/contract';
import type { Screen } from '../../terminal/screen.ts';
import { bar, fractionOf, percent } from '../../render/bar.ts';
import { type Paint, type Style } from '../../render/colour.ts';
import { fieldLines } from '../../render/fields.ts';
import { count, counted } from '../../render/number.ts';
import { lasting, relative } from '../../render/time.ts';
import { clean } from '../../render/width.ts';

const BAR_COLUMNS = 30;

export interface Row {
  readonly line: number;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly warning: string | null;
}

/** `batch-3  ━━━━━────  52 %  520 of 1,000  2 failed  9 s left`. */
export function batchLine(batch: Batch, leftMs: number | null, paint: Paint): string {
  const { id, total, counts } = batch;
  const done = counts.succeeded + counts.failed + counts.canceled;
  const fraction = fractionOf(done, total);
  const parts = [
    `${id}  ${bar(fraction, BAR_COLUMNS, paint)} ${percent(fraction).padStart(5)}`,
    `${count(done)} of ${count(total)}`,
    counts.failed === 0 ? '' : paint('red', `${count(counts.failed)} failed`),
    leftMs === null ? '' : `${lasting(leftMs)} left`,
  ];
  return parts.filter((part) => part !== '').join('  ');
}

/** `998 made, 2 failed, in 41 s.` */
export function batchSummary({ counts, createdAt, finishedAt }: Batch): string {
  const { succeeded, failed, canceled, warned } = counts;
  const took = finishedAt === null ? 0 : Date.parse(finishedAt) - Date.parse(createdAt);
  const parts = [
    warned === 0
      ? `${count(succeeded)} made`
      : `${count(succeeded)} made (${count(warned)} with a warning)`,
    `${count(failed)} failed`,
    canceled === 0 ? '' : `${count(canceled)} cancelled`,
    finishedAt === null ? '' : `in ${lasting(took)}`,
  ];
  return `${parts.filter((part) => part !== '').join(', ')}.`;
}

/** `batch-3: the first 5 of 2,000 rows, 2 blank ones skipped. Read as windows-1252.` */
export function batchBegun({ id, total, preview, source }: Batch): string {
  const rows =
    preview === null || source === null || source.rows <= total
      ? counted(total, 'row')
      : `the first ${count(total)} of ${counted(source.rows, 'row')}`;
  const blank = source?.blank ?? 0;
  const skipped =
    blank === 0 ? '' : `, ${count(blank)} blank ${blank === 1 ? 'one' : 'ones'} skipped`;
  const encoding = source?.encoding ?? 'utf-8';
  const read = encoding === 'utf-8' ? '' : ` Read as ${encoding}.`;
  return `${id}: ${rows}${skipped}.${read}`;
}

/** `line 18: validation_error: The field Amount is missing.` */
export function rowLine({ line, error, warning }: Row, paint: Paint): string {
  if (warning !== null) return `line ${count(line)}: ${paint('yellow', clean(warning))}`;
  const why = error === null ? 'failed' : failureInWords(error);
  return `line ${count(line)}: ${paint('red', clean(why))}`;
}

const WORDS: Readonly<Record<string, string>> = { canceled: 'cancelled', warned: 'with a warning' };

export const BATCH_STYLE: Readonly<Record<Batch['state'], Style | null>> = {
  LOADING: null,
  RUNNING: 'cyan',
  FINISHED: 'green',
  CANCELED: 'yellow',
};

export function batchDetail(batch: Batch, now: number, screen: Screen): string[] {
  const { id, state, total, counts, templateId, submitter, createdAt, finishedAt } = batch;
  const by = submitter === null ? '' : ` by ${submitter}`;
  const left = counts.pending + counts.running;
  const skipped = batch.source?.blank ?? 0;
  const figures = Object.entries({ ...counts, pending: 0, running: 0, waiting: left })
    .filter(([, rows]) => rows > 0)
    .map(([name, rows]) => `${count(rows)} ${WORDS[name] ?? name}`);
  return [
    `${screen.paint('bold', id)}  ${screen.paint(BATCH_STYLE[state], state)}`,
    ...fieldLines(
      [
        ['template', templateId],
        ['rows', [count(total), ...figures].join(', ')],
        [
          'preview',
          batch.preview === null ? null : `of ${counted(batch.source?.rows ?? total, 'row')}`,
        ],
        ['blank', skipped === 0 ? null : `${counted(skipped, 'row')} skipped`],
        ['made', `${relative(createdAt, now)}${by}`],
        ['ended', finishedAt === null ? null : relative(finishedAt, now)],
        ['kept', `until ${batch.expiresAt}`],
      ],
      screen,
    ),
  ];
}
