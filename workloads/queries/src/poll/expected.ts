import type { TaskStatus } from '@millrace/marketing-cloud';

/** What was answered for a task: null where Marketing Cloud does not know it. */
export interface Answer {
  readonly status: TaskStatus | null;
  /** Of the call, for this task. */
  readonly share: number;
}

/**
 * The polls of one business unit that will come, and what has been answered for them ahead of time. Polls are spread by
 * their jitter, so few are due at the same moment: the poll that calls takes along those that are due soon. A poll takes an answer
 * that is no older than a tenth of the time that it waited, which is half of what its jitter may add anyway.
 */
export interface Expected {
  /** A poll of the task comes after so many milliseconds. */
  add(taskId: string, afterMs: number): void;
  /** The poll is there: what is known for it, if that is fresh, and in any case what asking for it ahead of time has cost. */
  take(taskId: string): { readonly known: Answer | null; readonly owed: number };
  /** Whether the poll is still to come. */
  has(taskId: string): boolean;
  /** Tasks whose poll could still use an answer of this moment. */
  soon(most: number): string[];
  answered(taskId: string, answer: Answer): void;
}

const FRESH = 0.1;
/** Longer than a poll waits for a worker that is busy. */
const OWED_MS = 600_000;

interface Coming {
  readonly dueAt: number;
  readonly freshMs: number;
  /** A call for it is under way, or was. */
  isAsked: boolean;
  known: { readonly answer: Answer; readonly at: number } | null;
}

export function createExpected(now: () => number): Expected {
  const coming = new Map<string, Coming>();
  /**
   * Another replica may have had the poll: nobody takes what was kept for it. One that is only late still owes what asking cost; where
   * it never comes, that is counted for no run.
   */
  const isPast = ({ dueAt, freshMs, isAsked }: Coming): boolean =>
    now() > dueAt + (isAsked ? OWED_MS : freshMs);

  return {
    add(taskId, afterMs) {
      coming.delete(taskId);
      const dueAt = now() + afterMs;
      coming.set(taskId, { dueAt, freshMs: afterMs * FRESH, isAsked: false, known: null });
    },
    take(taskId) {
      const found = coming.get(taskId);
      coming.delete(taskId);
      if (found === undefined || found.known === null) return { known: null, owed: 0 };
      const { answer, at } = found.known;
      return { known: now() - at <= found.freshMs ? answer : null, owed: answer.share };
    },
    has: (taskId) => coming.has(taskId),
    soon(most) {
      const ids: string[] = [];
      for (const [taskId, each] of coming) {
        if (isPast(each)) coming.delete(taskId);
        else if (ids.length < most && !each.isAsked && each.dueAt - now() <= each.freshMs) {
          each.isAsked = true;
          ids.push(taskId);
        }
      }
      return ids;
    },
    answered(taskId, answer) {
      const found = coming.get(taskId);
      if (found !== undefined) found.known = { answer, at: now() };
    },
  };
}
