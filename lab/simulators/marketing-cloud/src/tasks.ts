import { randomUUID } from 'node:crypto';
import type { QueryDefinition, Task, Unit } from './data/account.ts';
import { durationOf } from './options.ts';
import { TASK_OPERATION, type TaskParts, createWork, later } from './work.ts';

/** Queries that were started: Queued, then Processing when a place is free, then Complete or a failure. */
export interface Tasks {
  start(unit: Unit, query: QueryDefinition): Task;
  isRunning(queryId: string): boolean;
  /** Ends with the task. */
  ended(task: Task): Promise<Task>;
  /** Ends when no SQL is under way any more, and what followed from it is done. */
  settled(): Promise<void>;
  close(): void;
}

const FIRST_TASK = 7_000_000;

export function createTasks(parts: TaskParts): Tasks {
  const { settings, clock, faults } = parts;
  const waiting: Task[] = [];
  const processing = new Set<Task>();
  const endings = new Map<Task, { promise: Promise<Task>; resolve: (task: Task) => void }>();
  const stop = new AbortController();
  const work = createWork({ ...parts, stop: stop.signal, finish });
  let serial = FIRST_TASK;

  function start(unit: Unit, query: QueryDefinition): Task {
    serial += 1;
    const task: Task = {
      id: String(serial),
      interactionId: randomUUID(),
      mid: unit.mid,
      query,
      queuedAt: clock.now(),
      status: 'Queued',
      startedAt: null,
      completedAt: null,
      errorMessage: '',
      rowCount: null,
    };
    unit.tasks.set(task.id, task);
    let resolve: (task: Task) => void = () => {};
    endings.set(task, { promise: new Promise((give) => (resolve = give)), resolve });
    void queue(task);
    return task;
  }

  async function queue(task: Task): Promise<void> {
    await faults.meet('', '').held('stuck-queued', { operation: TASK_OPERATION, mid: task.mid });
    later(clock, durationOf(settings.queueMs, task), () => {
      waiting.push(task);
      fill();
    });
  }

  /** As many as there are places for. */
  function fill(): void {
    while (processing.size < settings.concurrency && !stop.signal.aborted) {
      const task = waiting.shift();
      if (task === undefined) return;
      processing.add(task);
      void work.process(task).finally(() => {
        processing.delete(task);
        fill();
      });
    }
  }

  function finish(task: Task, status: Task['status'], message: string, at = clock.now()): void {
    task.status = status;
    task.errorMessage = message;
    task.completedAt = at;
    processing.delete(task);
    endings.get(task)?.resolve(task);
    endings.delete(task);
  }

  return {
    start,
    isRunning: (queryId) => [...processing].some(({ query }) => query.objectId === queryId),
    ended: (task) => endings.get(task)?.promise ?? Promise.resolve(task),
    settled: work.settled,
    close: () => stop.abort(),
  };
}
