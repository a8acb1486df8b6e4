import type { RenewAnswer, SettleAnswer, Settlement, Store } from '@millrace/engine';
import type { Point } from './breaks.ts';
import { type Runs, parsed } from './runs.ts';

/**
 * The store of a process, between its engine and the line: it notes what comes of every execution, and asks `before` each
 * write that ends a job or saves a chunk, so that a worker can be struck there.
 */
export function noting(
  store: Store,
  params: {
    readonly runs: Runs;
    readonly process: () => object;
    readonly before: (points: readonly Point[]) => Promise<void>;
    /** Around what a handler asks the store itself. */
    readonly virtually: <T>(wait: Promise<T>) => Promise<T>;
  },
): Store {
  const { runs, process, before, virtually } = params;
  const { chunks, upkeep } = store;

  function noteEnd({ job, outcome, children }: Settlement, answer: SettleAnswer): void {
    // A job that was claimed and given back, or whose data does not fit, has no execution: the handler was not called.
    const known = runs.of(job);
    if (known === undefined && outcome.move === 'handBack') return;
    const data = job.payload === null ? null : parsed(job.payload);
    const run = known ?? runs.begin(process(), { ...job, data }, job);
    if (answer === 'settled' || answer === 'already') run.settled(outcome, children);
    if (answer === 'canceled') run.ended('canceled');
    if (answer === 'stale') run.ended('fenced');
  }

  return {
    ...store,
    get: (asked) => virtually(store.get(asked)),
    async settle({ settlements }) {
      await before(settlements.map(({ job }) => ({ kind: job.kind, chunk: null })));
      const answers = await store.settle({ settlements });
      for (const [index, settlement] of settlements.entries())
        noteEnd(settlement, answers[index] ?? 'stale');
      return answers;
    },
    ...(chunks && {
      chunks: {
        async checkpoint({ checkpoints, leaseMs }): Promise<RenewAnswer[]> {
          const points = checkpoints.flatMap(({ lease, cursor }) => {
            const run = cursor === undefined ? undefined : runs.of(lease)?.run;
            return run === undefined ? [] : [{ kind: run.kind, chunk: run.chunks.length + 1 }];
          });
          await before(points);
          const answers = await chunks.checkpoint({ checkpoints, leaseMs });
          for (const [index, checkpoint] of checkpoints.entries())
            if ((answers[index] ?? 'stale') !== 'stale')
              runs.of(checkpoint.lease)?.chunkSaved(checkpoint);
          return answers;
        },
      },
    }),
    // Nothing is forgotten in a test, however far its clock is moved.
    ...(upkeep && { upkeep: { ...upkeep, prune: async () => ({ count: 0, more: false }) } }),
  };
}
