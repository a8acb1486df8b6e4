import type { Field } from '@millrace/marketing-cloud';
import type { Database } from '@millrace/store-postgres';
import type { Live } from '@millrace/workload-kit';
import { runIdOf } from '../ids.ts';
import type { RunColumn } from '../run.ts';
import type { Keys } from './keys.ts';
import type { RunRecord } from './record.ts';
import { type Inserted, type NewRunRecord, insertRun } from './insert.ts';
import { type End, type Noted, runRows } from './records.ts';
import { createTogether } from './together.ts';

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
  /** False: the run is over, and nothing was noted. */
  note(run: RunRecord, noted: Noted): Promise<boolean>;
  addCalls(seq: number, calls: number): Promise<void>;
  /** `noted`: what the poll that ends it saw. */
  end(run: RunRecord, end: End, noted?: Noted): Promise<RunRecord | null>;
  asText(run: RunRecord): Promise<RunRecord | null>;
  /** There are more rows than were counted when the run became ready. */
  counted(run: RunRecord, rowCount: number): Promise<void>;
  queryGone(run: RunRecord): Promise<void>;
  targetGone(run: RunRecord): Promise<void>;
}

export function createRunStore(parts: { database: Database; keys: Keys; live: Live }): RunStore {
  const { database, keys, live } = parts;
  const record = createTogether<number, RunRecord | null>(async (seqs) => {
    const found = await runRows.bySeq(database, seqs);
    const bySeq = new Map(found.map((run) => [run.seq, run]));
    return seqs.map((seq) => bySeq.get(seq) ?? null);
  });
  const note = createTogether<Noted & { readonly seq: number }, boolean>(async (all) => {
    const noted = new Set((await runRows.note(database, all)).map(({ seq }) => seq));
    for (const seq of noted) live.announce(RUN_TOPIC, runIdOf(seq));
    return all.map(({ seq }) => noted.has(seq));
  });

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
    record: async (seq) => (seq === null ? null : record(seq)),
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
    note: ({ seq }, noted) => note({ ...noted, seq }),
    addCalls: (seq, calls) => runRows.addCalls(database, seq, calls),
    end: ({ seq }, end, noted) => announced(runRows.end(database, seq, end, noted ?? null)),
    asText: (run) => announced(runRows.asText(database, run.seq, keys.textKeyOf(run))),
    async counted({ seq }, rowCount) {
      await announced(runRows.counted(database, seq, rowCount));
    },
    queryGone: ({ seq }) => runRows.queryGone(database, seq),
    targetGone: ({ seq }) => runRows.targetGone(database, seq),
  };
}
