import type { Batch, Item } from '../types.ts';

/** The colour of a group of rows: failures take precedence. */
export type CellState = 'failed' | 'running' | 'done' | 'canceled' | 'waiting';

export interface RowCell {
  readonly first: number;
  readonly last: number;
  readonly state: CellState;
}

/**
 * Rows in groups, so that any number of them is one band. Where the failed and running rows are is known; of the others, the
 * made ones are taken to come before those that wait, as batches are made.
 */
export function cellsOf(
  { total, counts }: Pick<Batch, 'total' | 'counts'>,
  known: readonly Pick<Item, 'item' | 'state'>[],
  most: number,
): RowCell[] {
  if (total === 0) return [];
  const states = new Map(known.map(({ item, state }) => [item, state]));
  const left = { done: counts.succeeded, canceled: counts.canceled };
  const stateOf = (item: number): CellState => {
    const state = states.get(item);
    if (state === 'FAILED') return 'failed';
    if (state === 'RUNNING') return 'running';
    if (left.done > 0) {
      left.done -= 1;
      return 'done';
    }
    if (left.canceled > 0) {
      left.canceled -= 1;
      return 'canceled';
    }
    return 'waiting';
  };
  const count = Math.min(total, most);
  return Array.from({ length: count }, (_, index) => {
    const first = Math.floor((index * total) / count) + 1;
    const last = Math.floor(((index + 1) * total) / count);
    const inside = Array.from({ length: last - first + 1 }, (__, at) => stateOf(first + at));
    return { first, last, state: worst(inside) };
  });
}

const ORDER: readonly CellState[] = ['failed', 'running', 'waiting', 'canceled', 'done'];

function worst(states: readonly CellState[]): CellState {
  return ORDER.find((state) => states.includes(state)) ?? 'waiting';
}

/** When it will be over, from how fast it has been; null while nobody can say. */
export function leftMs(
  { counts, total, createdAt }: Pick<Batch, 'counts' | 'total' | 'createdAt'>,
  now: number,
): { ms: number; perSecond: number } | null {
  const done = counts.succeeded + counts.failed + counts.canceled;
  const spent = now - Date.parse(createdAt);
  if (done === 0 || done >= total || spent < 1_000) return null;
  const perSecond = (1000 * done) / spent;
  return { ms: (1000 * (total - done)) / perSecond, perSecond };
}
