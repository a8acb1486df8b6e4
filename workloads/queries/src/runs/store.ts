import type { Field } from '@millrace/marketing-cloud';
import type { Database } from '@millrace/store-postgres';
import type { Live } from '@millrace/workload-kit';
import type { RunColumn } from '../run.ts';
import type { Keys } from './keys.ts';
import type { RunRecord } from './record.ts';
import { type Inserted, type NewRunRecord, insertRun } from './insert.ts';
import { type End, runRows } from './records.ts';

/** The topic under which runs are announced. */
export const RUN_TOPIC = 'run';

/** Runs as their jobs write them. What gives null found the run in a state that does not allow it, and changed nothing. */
export interface RunStore {
  insert(run: NewRunRecord): Promise<Inserted>;
  remove(run: RunRecord): Promise<void>;
  record(seq: number | null): Promise<RunRecord | null>;
  /** The run as it is now. */
  again(run: RunRecord): Promise<RunRecord>;
  derived(
    run: RunRecord,
    columns: readonly RunColumn[],
    fields: readonly Field[],
  ): Promise<RunRecord | null>;
  madeQuery(run: RunRecord, queryDefinitionId: string): Promise<RunRecord | null>;
  /** The right to start the query, which one execution gets. */
  requestStart(run: RunRecord): Promise<RunRecord | null>;
  takeBackStart(run: RunRecord): Promise<RunRecord | null>;
  /** A try failed, and another follows: whoever looks sees why it waits. */
  troubled(run: RunRecord, message: string): Promise<RunRecord | null>;
  started(run: RunRecord, taskId: string | null): Promise<RunRecord | null>;
  note(
    run: RunRecord,
    noted: { mceStatus: string | null; pollCount: number; calls: number },
  ): Promise<RunRecord | null>;
  addCalls(seq: number, calls: number): Promise<void>;
  end(run: RunRecord, end: End): Promise<RunRecord | null>;
  asText(run: RunRecord): Promise<RunRecord | null>;
  /** There are more rows than were counted when the run became ready. */
  counted(run: RunRecord, rowCount: number): Promise<void>;
  queryGone(run: RunRecord): Promise<void>;
  targetGone(run: RunRecord): Promise<void>;
}

export function createRunStore(parts: { database: Database; keys: Keys; live: Live }): RunStore {
  const { database, keys, live } = parts;

  async function announced<T extends RunRecord | null>(change: Promise<T>): Promise<T> {
    const run = await change;
    if (run !== null) live.announce(RUN_TOPIC, run.id);
    return run;
  }

  return {
    async insert(run) {
      const inserted = await insertRun(database, run, keys.prefix);
      if (inserted.created) live.announce(RUN_TOPIC, inserted.run.id);
      return inserted;
    },
    remove: ({ seq }) => runRows.remove(database, seq),
    record: async (seq) => (seq === null ? null : runRows.get(database, seq)),
    async again({ seq, id }) {
      const run = await runRows.get(database, seq);
      if (run === null) throw new Error(`The run ${id} is gone.`);
      return run;
    },
    derived: ({ seq }, columns, fields) => runRows.derived(database, seq, columns, fields),
    madeQuery: ({ seq }, id) => runRows.madeQuery(database, seq, id),
    requestStart: ({ seq }) => runRows.requestStart(database, seq),
    takeBackStart: ({ seq }) => runRows.takeBackStart(database, seq),
    troubled: ({ seq }, message) => announced(runRows.troubled(database, seq, message)),
    started: ({ seq }, taskId) => announced(runRows.started(database, seq, taskId)),
    note: ({ seq }, noted) => announced(runRows.note(database, seq, noted)),
    addCalls: (seq, calls) => runRows.addCalls(database, seq, calls),
    end: ({ seq }, end) => announced(runRows.end(database, seq, end)),
    asText: (run) => announced(runRows.asText(database, run.seq, keys.textKeyOf(run))),
    async counted({ seq }, rowCount) {
      await announced(runRows.counted(database, seq, rowCount));
    },
    queryGone: ({ seq }) => runRows.queryGone(database, seq),
    targetGone: ({ seq }) => runRows.targetGone(database, seq),
  };
}
