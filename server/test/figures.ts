import type { Failure, Figures, WaitingLane } from '@millrace/store-postgres';

/** Figures of which nothing is known but what a test says. */
export function createMemoryFigures(
  known: {
    readonly lanes?: () => readonly WaitingLane[];
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
    waiting: async () => [...(known.lanes?.() ?? [])],
    failures: async ({ of }) => [...(known.failures?.(of) ?? [])],
    listen: () => {},
  };
}
