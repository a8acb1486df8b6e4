import type { Batch } from '@millrace/api';
import type { Screen } from '../screen.ts';
import { bar, fractionOf, percent } from './bar.ts';
import { type Paint, type Style } from './colour.ts';
import { fieldLines } from './fields.ts';
import { count, counted } from './number.ts';
import { lasting, relative } from './time.ts';
import { clean } from './width.ts';

const BAR_COLUMNS = 30;

export interface Row {
  readonly line: number;
  readonly error: { readonly code: string; readonly message: string } | null;
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

/** `998 documents, 2 rows failed, in 41 s.` */
export function batchSummary({ counts, createdAt, finishedAt }: Batch): string {
  const { succeeded, failed, canceled } = counts;
  const took = finishedAt === null ? 0 : Date.parse(finishedAt) - Date.parse(createdAt);
  const parts = [
    counted(succeeded, 'document'),
    failed === 0 ? '' : `${counted(failed, 'row')} failed`,
    canceled === 0 ? '' : `${counted(canceled, 'row')} cancelled`,
    finishedAt === null ? '' : `in ${lasting(took)}`,
  ];
  return `${parts.filter((part) => part !== '').join(', ')}.`;
}

/** `line 18: validation_error: The field Amount is missing.` */
export function rowLine({ line, error }: Row, paint: Paint): string {
  const why = error === null ? 'failed' : `${error.code}: ${error.message}`;
  return `line ${count(line)}: ${paint('red', clean(why))}`;
}

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
  const figures = Object.entries({ ...counts, pending: 0, running: 0, waiting: left })
    .filter(([, rows]) => rows > 0)
    .map(([name, rows]) => `${count(rows)} ${name === 'canceled' ? 'cancelled' : name}`);
  return [
    `${screen.paint('bold', id)}  ${screen.paint(BATCH_STYLE[state], state)}`,
    ...fieldLines(
      [
        ['template', templateId],
        ['rows', [count(total), ...figures].join(', ')],
        ['made', `${relative(createdAt, now)}${by}`],
        ['ended', finishedAt === null ? null : relative(finishedAt, now)],
        ['kept', `until ${batch.expiresAt}`],
      ],
      screen,
    ),
  ];
}
