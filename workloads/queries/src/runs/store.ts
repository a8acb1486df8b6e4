import type { Field } from '@millrace/marketing-cloud';
import type { Inserted } from '@millrace/runs';
import type { Database } from '@millrace/store-postgres';
import type { Live } from '@millrace/workload-kit';
import type { Keys } from './asset-keys.ts';
import { type QueryRunRecord, type RunColumn, queryRunIds, queryRuns } from './query-run.ts';
import { createTogether } from './together.ts';
import { type End, type NewQueryRun, type Noted, runRows } from './write.ts';

/** The topic under which runs are announced. */
export const RUN_TOPIC = 'run';

/** Runs as their jobs write them. What gives null found the run in a state that does not allow it, and changed nothing. */
export interface RunStore {
  insert(
    run: NewQueryRun,
    begin: (run: QueryRunRecord) => Promise<void>,
  ): Promise<Inserted<QueryRunRecord>>;
  find(id: string): Promise<QueryRunRecord | null>;
  /** The run as it is now. */
  again(run: QueryRunRecord): Promise<QueryRunRecord>;
  derived(
    run: QueryRunRecord,
    columns: readonly RunColumn[],
    fields: readonly Field[],
  ): Promise<QueryRunRecord | null>;
  madeQuery(run: QueryRunRecord, queryDefinitionId: string): Promise<QueryRunRecord | null>;
  /** The right to start the query, which one execution gets. */
  requestStart(run: QueryRunRecord): Promise<QueryRunRecord | null>;
  takeBackStart(run: QueryRunRecord): Promise<QueryRunRecord | null>;
  /** A try failed, and another follows: whoever looks sees why it waits. */
  troubled(run: QueryRunRecord, message: string): Promise<QueryRunRecord | null>;
  started(run: QueryRunRecord, taskId: string | null): Promise<QueryRunRecord | null>;
  /** False: the run is over, and nothing was noted. */
  note(run: QueryRunRecord, noted: Noted): Promise<boolean>;
  addCalls(seq: number, calls: number): Promise<void>;
  /** `noted`: what the poll that ends it saw. */
  end(run: QueryRunRecord, end: End, noted?: Noted): Promise<QueryRunRecord | null>;
  asText(run: QueryRunRecord): Promise<QueryRunRecord | null>;
  /** There are more rows than were counted when the run became ready. */
  counted(run: QueryRunRecord, rowCount: number): Promise<void>;
  queryGone(run: QueryRunRecord): Promise<void>;
  targetGone(run: QueryRunRecord): Promise<void>;
}

export function createRunStore(parts: { database: Database; keys: Keys; live: Live }): RunStore {
  const { database, keys, live } = parts;
  const find = createTogether<number, QueryRunRecord | null>(async (seqs) => {
    const found = await queryRuns.bySeq(database, seqs);
    const bySeq = new Map(found.map((run) => [run.seq, run]));
    return seqs.map((seq) => bySeq.get(seq) ?? null);
  });
  const note = createTogether<Noted & { readonly seq: number }, boolean>(async (all) => {
    const noted = new Set((await runRows.note(database, all)).map(({ seq }) => seq));
    for (const seq of noted) live.announce(RUN_TOPIC, queryRunIds.of(seq));
    return all.map(({ seq }) => noted.has(seq));
  });

  async function announced<T extends QueryRunRecord | null>(change: Promise<T>): Promise<T> {
    const run = await change;
    if (run !== null) live.announce(RUN_TOPIC, run.id);
    return run;
  }

  return {
    insert: (run, begin) =>
      queryRuns.insert(database, run, {
        add: () => runRows.add(database, run, keys.prefix),
        async begin(made) {
          live.announce(RUN_TOPIC, made.id);
          await begin(made);
        },
      }),
    async find(id) {
      const seq = queryRunIds.seqOf(id);
      return seq === null ? null : find(seq);
    },
    async again({ id }) {
      const run = await queryRuns.find(database, id);
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
