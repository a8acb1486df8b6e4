import { randomUUID } from 'node:crypto';
import { setImmediate as immediate } from 'node:timers/promises';
import type { Clock } from '@millrace/simulator-kit';
import {
  type DataExtension,
  type QueryDefinition,
  type Row,
  type Task,
  type Unit,
  dataExtensionByKey,
} from './data/account.ts';
import type { Fault, FaultBoard, FaultKind } from './faults.ts';
import { type Settings, durationOf } from './options.ts';
import { fitted, written } from './sql/insert.ts';
import { QueryError, type RunSql } from './sql/run-sql.ts';

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

interface Parts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly faults: FaultBoard;
  readonly units: ReadonlyMap<string, Unit>;
  readonly run: RunSql;
}

/** Under which the faults of tasks are asked for: no request belongs to them. */
export const TASK_OPERATION = 'task';

const FIRST_TASK = 7_000_000;

export function createTasks({ settings, clock, faults, units, run }: Parts): Tasks {
  const waiting: Task[] = [];
  const processing = new Set<Task>();
  const underWay = new Set<Promise<unknown>>();
  const endings = new Map<Task, { promise: Promise<Task>; resolve: (task: Task) => void }>();
  const stop = new AbortController();
  let serial = FIRST_TASK;

  const strike = (kind: FaultKind, { mid }: Task): Fault | null =>
    faults.meet('', '').strikes(kind, { operation: TASK_OPERATION, mid });

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
    clock.after(durationOf(settings.queueMs, task), () => {
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
      void process(task).finally(() => {
        processing.delete(task);
        fill();
      });
    }
  }

  async function process(task: Task): Promise<void> {
    task.status = 'Processing';
    task.startedAt = clock.now();
    const kill = new AbortController();
    const disarm = clock.after(settings.killAfterMs, () => kill.abort());
    const killed = new Promise<never>((_, reject) => {
      kill.signal.addEventListener('abort', () => reject(new QueryError(KILLED)), { once: true });
    });
    const longer = strike('slow', task)?.ms ?? 0;
    const ran = new Promise<void>((resolve) => {
      clock.after(durationOf(settings.runMs, task) + longer, resolve);
    });
    try {
      const signal = AbortSignal.any([kill.signal, stop.signal]);
      const answer = tracked(select(task, signal));
      const [rows] = await Promise.race([Promise.all([answer, ran]), killed]);
      const fault = strike('task-error', task);
      if (fault !== null) throw new QueryError(fault.message ?? 'The query failed.');
      if (strike('fatal-error', task) !== null) finish(task, 'FatalError', '');
      else complete(task, rows);
    } catch (thrown) {
      if (thrown instanceof QueryError) finish(task, 'Error', thrown.message);
      else fail(task, thrown);
    } finally {
      disarm();
    }
  }

  /** The rows, as they fit the target. */
  async function select(task: Task, signal: AbortSignal): Promise<Row[]> {
    const unit = unitOf(task);
    const { fields } = targetOf(unit, task);
    const sql = task.query.queryText;
    return fitted(await run({ unit, sql, target: fields, signal }), fields);
  }

  function complete(task: Task, rows: readonly Row[]): void {
    const unit = unitOf(task);
    const target = targetOf(unit, task);
    const after = written(target, rows, task.query.updateType);
    const late = strike('late-rows', task)?.ms ?? durationOf(settings.rowsAfterMs, task);
    task.rowCount = rows.length;
    finish(task, 'Complete', '');
    if (strike('lost-rows', task) !== null) return;
    const show = (): void => {
      if (!unit.dataExtensions.has(target.objectId)) return;
      unit.dataExtensions.set(target.objectId, { ...target, rows: after, modifiedAt: clock.now() });
    };
    if (late > 0) clock.after(late, show);
    else show();
  }

  function finish(task: Task, status: Task['status'], message: string): void {
    task.status = status;
    task.errorMessage = message;
    task.completedAt = clock.now();
    processing.delete(task);
    endings.get(task)?.resolve(task);
    endings.delete(task);
  }

  /** What is no fault of the query: the process hears of it, and whoever waits is not left waiting. */
  function fail(task: Task, thrown: unknown): void {
    if (!stop.signal.aborted)
      globalThis.process.emitWarning(thrown instanceof Error ? thrown : String(thrown));
    finish(task, 'Error', thrown instanceof Error ? thrown.message : String(thrown));
  }

  function unitOf({ mid }: Task): Unit {
    const unit = units.get(mid);
    if (unit === undefined) throw new Error(`no business unit ${mid}`);
    return unit;
  }

  function targetOf(unit: Unit, { query }: Task): DataExtension {
    const target = dataExtensionByKey(unit, query.targetKey, clock.now());
    if (target === null) throw new QueryError('The target data extension does not exist.');
    return target;
  }

  function tracked<T>(work: Promise<T>): Promise<T> {
    underWay.add(work);
    const forget = (): void => void underWay.delete(work);
    work.then(forget, forget);
    return work;
  }

  return {
    start,
    isRunning: (queryId) => [...processing].some(({ query }) => query.objectId === queryId),
    ended: (task) => endings.get(task)?.promise ?? Promise.resolve(task),
    async settled() {
      do {
        await Promise.allSettled(underWay);
        await immediate();
      } while (underWay.size > 0);
    },
    close: () => stop.abort(),
  };
}

const KILLED =
  'The query was stopped because it ran for longer than 30 minutes. Make it smaller, or split it.';
