import type { Part } from '../../ui/progress.tsx';
import type { Phase } from '../../ui/state.tsx';
import type { Batch } from './types.ts';

export const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** A batch that is over with rows that failed is what somebody has to look at. */
export function phaseOfBatch({ state, counts }: Batch): Phase {
  if (state === 'LOADING') return 'queued';
  if (state === 'RUNNING') return 'running';
  if (state === 'CANCELED') return 'canceled';
  return counts.failed > 0 ? 'failed' : 'succeeded';
}

export function batchWord({ state, counts }: Batch): string {
  if (state === 'LOADING') return 'Loading';
  if (state === 'RUNNING') return 'Running';
  if (state === 'CANCELED') return 'Canceled';
  return counts.failed > 0 ? `${counts.failed} failed` : 'Finished';
}

export function isOver({ state }: Batch): boolean {
  return state === 'FINISHED' || state === 'CANCELED';
}

export function partsOf({ counts }: Batch): Part[] {
  return [
    { of: 'done', count: counts.succeeded },
    { of: 'failed', count: counts.failed },
    { of: 'canceled', count: counts.canceled },
    { of: 'running', count: counts.running },
  ];
}

/** Those with failed rows first, then those that run; within each as they came. */
export function failedFirst(batches: readonly Batch[]): Batch[] {
  const rank = ({ state, counts }: Batch): number =>
    counts.failed > 0 ? 0 : state === 'RUNNING' || state === 'LOADING' ? 1 : 2;
  return batches.toSorted((a, b) => rank(a) - rank(b));
}

export function rowsInWords(total: number): string {
  return `${total.toLocaleString('en')} ${total === 1 ? 'row' : 'rows'}`;
}
