import type { Events } from '../events.ts';
import type { ChunkPart, RenewAnswer } from '../parts.ts';
import type { Clock } from '../time/clock.ts';
import { leaseOf } from './lease.ts';
import { type Running, progressEvent } from './running.ts';

export const PROGRESS_EVERY_MS = 1_000;

/** Saves what handlers have reported of their progress: all that changed in one write, once a second at most. */
export function createProgressWrites(params: {
  clock: Clock;
  events: Events;
  leaseMs: number;
  running: ReadonlyMap<string, Running>;
  /** Each write renews the lease, or shows that it is lost. */
  onAnswer: (each: Running, answer: RenewAnswer, askedAt: number) => void;
}): (chunks: ChunkPart) => Promise<void> {
  const { clock, events, leaseMs, running, onAnswer } = params;
  let savedAt = -Infinity;

  return async (chunks) => {
    const now = clock.now();
    if (now - savedAt < PROGRESS_EVERY_MS) return;
    const changed = [...running.values()].flatMap((each) =>
      each.progress === null || each.progress === each.savedProgress || each.isSaving
        ? []
        : [{ each, progress: each.progress }],
    );
    if (changed.length === 0) return;
    savedAt = now;
    const checkpoints = changed.map(({ each, progress }) => ({
      lease: leaseOf(each.job),
      step: each.nextStep(),
      progress,
      children: [],
    }));
    const answers = await chunks.checkpoint({ checkpoints, leaseMs });
    for (const [index, { each, progress }] of changed.entries()) {
      each.savedProgress = progress;
      const answer = answers[index] ?? 'stale';
      if (answer !== 'stale') events.emit('job.progress', progressEvent(each, progress));
      onAnswer(each, answer, now);
    }
  };
}
