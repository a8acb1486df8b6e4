import type { Failure, Figures, WaitingSubqueue } from '@millrace/store-postgres';

/** Figures of which nothing is known but what a test says. */
export function createMemoryFigures(
  known: {
    readonly subqueues?: () => readonly WaitingSubqueue[];
    readonly failures?: (of: 'failed' | 'retrying') => readonly Failure[];
    readonly sum?: Figures['sum'];
    readonly samples?: Figures['samples'];
  } = {},
): Figures {
  return {
    keep: async () => {},
    sum: known.sum ?? (async () => []),
    wantsSample: async () => false,
    sample: async () => {},
    samples: known.samples ?? (async () => []),
    tidy: async () => ({ more: false }),
    waiting: async () => [...(known.subqueues?.() ?? [])],
    failures: async ({ of }) => [...(known.failures?.(of) ?? [])],
    listen: () => {},
  };
}
