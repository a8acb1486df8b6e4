import { setImmediate as immediate } from 'node:timers/promises';
import type { Clock } from '@millrace/simulator-kit';
import {
  type DataExtension,
  type Row,
  type Task,
  type Unit,
  dataExtensionByKey,
  liveDataExtensions,
} from './data/account.ts';
import type { Fault, FaultBoard, FaultKind } from './faults.ts';
import { type Settings, durationOf } from './options.ts';
import { fitted, written } from './sql/insert.ts';
import { QueryError, type RunSql } from './sql/run-sql.ts';

/** The work of a query while it has a place: its SQL, for as long as was asked for, and its rows in the target. */
export interface Work {
  process(task: Task): Promise<void>;
  /** Ends when no SQL is under way any more, and what followed from it is done. */
  settled(): Promise<void>;
}

/** The parts that tasks are made with. */
export interface TaskParts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly faults: FaultBoard;
  readonly units: ReadonlyMap<string, Unit>;
  readonly run: RunSql;
}

interface WorkParts extends TaskParts {
  /** Aborted when the simulator closes. */
  readonly stop: AbortSignal;
  finish(task: Task, status: Task['status'], message: string, at?: number): void;
}

/** Under which the faults of tasks are asked for: no request belongs to them. */
export const TASK_OPERATION = 'task';

const KILLED =
  'The query was stopped because it ran for longer than 30 minutes. Make it smaller, or split it.';

/** Rows that are fitted before the process gets to its other work. */
const AT_A_TIME = 2_000;

/** So many results of the largest size there is room for. */
const RESULTS_KEPT = 4;

export function createWork({ settings, clock, faults, units, run, stop, finish }: WorkParts): Work {
  const underWay = new Set<Promise<unknown>>();

  const strike = (kind: FaultKind, { mid }: Task): Fault | null =>
    faults.meet('', '').strikes(kind, { operation: TASK_OPERATION, mid });

  /**
   * By the clock a query takes as long as was asked for, however long its SQL works: so a clock that jumps finds every task where it
   * would be. SQL that really works for too long is stopped in real time.
   */
  async function process(task: Task): Promise<void> {
    task.status = 'Processing';
    task.startedAt = clock.now();
    const takes = durationOf(settings.runMs, task) + (strike('slow', task)?.ms ?? 0);
    const isTooLong = takes >= settings.killAfterMs;
    const ran = new Promise<number>((resolve) => {
      later(clock, Math.min(takes, settings.killAfterMs), () => resolve(clock.now()));
    });
    const kill = new AbortController();
    const killed = new Promise<never>((_, reject) => {
      kill.signal.addEventListener('abort', () => reject(new QueryError(KILLED)), { once: true });
    });
    const timer = setTimeout(() => kill.abort(), settings.killAfterMs / settings.speed).unref();
    try {
      const rows = tracked(select(task, AbortSignal.any([kill.signal, stop])));
      const work = isTooLong ? ran.then(() => kill.abort()) : null;
      const [found, at] = await Promise.race([Promise.all([rows, ran, work]), killed]);
      const fault = strike('task-error', task);
      if (fault !== null) throw new QueryError(fault.message ?? 'The query failed.');
      if (strike('fatal-error', task) !== null) finish(task, 'FatalError', '', at);
      else complete(task, found, at);
    } catch (thrown) {
      if (thrown instanceof QueryError) finish(task, 'Error', thrown.message);
      else fail(task, thrown);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The rows, as they fit the target. */
  async function select(task: Task, signal: AbortSignal): Promise<Row[]> {
    const unit = unitOf(task);
    const { fields } = targetOf(unit, task);
    const sql = task.query.queryText;
    const { columns, rows } = await run({ unit, sql, target: fields, signal });
    const fit = fitted({ columns, rows: rows.slice(0, AT_A_TIME) }, fields);
    for (let from = AT_A_TIME; from < rows.length; from += AT_A_TIME) {
      await immediate();
      fit.push(...fitted({ columns, rows: rows.slice(from, from + AT_A_TIME) }, fields));
    }
    return fit;
  }

  function complete(task: Task, rows: readonly Row[], at: number): void {
    const unit = unitOf(task);
    const target = targetOf(unit, task);
    const after = written(target, rows, task.query.updateType);
    checkRoom(target, after);
    const late = strike('late-rows', task)?.ms ?? durationOf(settings.rowsAfterMs, task);
    task.rowCount = rows.length;
    finish(task, 'Complete', '', at);
    if (strike('lost-rows', task) !== null) return;
    const show = (): void => {
      if (!unit.dataExtensions.has(target.objectId)) return;
      unit.dataExtensions.set(target.objectId, { ...target, rows: after, modifiedAt: clock.now() });
    };
    later(clock, late, show);
  }

  /** Rows are kept until their data extension is deleted or expires: many large results would fill the memory of this process. */
  function checkRoom({ objectId, fields }: DataExtension, rows: readonly Row[]): void {
    let values = rows.length * fields.length;
    for (const unit of units.values()) {
      for (const other of liveDataExtensions(unit, clock.now())) {
        if (other.objectId !== objectId) values += other.rows.length * other.fields.length;
      }
    }
    if (values <= RESULTS_KEPT * settings.mostValues) return;
    throw new QueryError(
      'The simulated Marketing Cloud has no room for these rows. Delete data extensions, such as the results of earlier queries, or start it again.',
    );
  }

  /** Reports an error that is no fault of the query: the process hears of it, and whoever waits is not left waiting. */
  function fail(task: Task, thrown: unknown): void {
    if (!stop.aborted)
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
    process,
    async settled() {
      do {
        await Promise.allSettled(underWay);
        await immediate();
      } while (underWay.size > 0);
    },
  };
}

/** Work that takes no time is done at once, also by a clock that stands still. */
export function later(clock: Clock, ms: number, call: () => void): void {
  if (ms > 0) clock.after(ms, call);
  else call();
}
