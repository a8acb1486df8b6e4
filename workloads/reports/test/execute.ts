import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Chunk, JobContext, Outcome } from '@millrace/engine';
import type { Reading, SqlSource } from '@millrace/sql-source';
import type { ReportDefinition } from '../src/catalogue/types.ts';
import type { ReportJob } from '../src/job-data.ts';
import { createOutputs } from '../src/outputs/outputs.ts';
import type { FilePlace, Outputs } from '../src/outputs/types.ts';
import { runReport } from '../src/run/run-report.ts';
import type { WorkConfig, Workshop } from '../src/run/workshop.ts';

/** The process ends here: nothing that was under way goes on. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/** Jobs of reports, executed by hand: each contact with the outside is a moment at which the process can be killed. */
export interface Bench {
  /** Runs until the job is over, or killed at its n-th contact. Gives how many contacts there were. */
  execute(run: JobRun, killAt?: number): Promise<{ contacts: number; outcome: Outcome | 'killed' }>;
  bytesOf(run: JobRun): Promise<Buffer>;
  readonly outputs: Outputs;
  readonly folder: string;
  close(): Promise<void>;
}

/** What the store keeps of a job between its executions. */
export interface JobRun {
  readonly id: string;
  readonly data: ReportJob;
  cursor: unknown;
  epoch: number;
  chunks: Chunk[];
  file: FilePlace | null;
  finish: Record<string, unknown> | null;
}

export function jobRun(id: string, data: ReportJob): JobRun {
  return { id, data, cursor: null, epoch: 0, chunks: [], file: null, finish: null };
}

export const CONFIG: WorkConfig = {
  chunk: { bytes: 20_000, rows: 100 },
  statementTimeoutMs: 60_000,
  snapshotMaxAgeMs: 3_600_000,
  patience: '10m',
  keepMs: 86_400_000,
};

export async function openBench(params: {
  source: SqlSource;
  definition: (name: string) => ReportDefinition | null;
  config?: Partial<WorkConfig>;
  steps?: Workshop['steps'];
  deliver?: Workshop['deliver'];
  now?: () => number;
  /** Puts something before the outputs, such as a storage that is away. */
  through?: (outputs: Outputs) => Outputs;
}): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-reports-'));
  const outputs = createOutputs({ folder, s3: null });
  const config = { ...CONFIG, ...params.config };

  async function execute(run: JobRun, killAt = Infinity) {
    let contacts = 0;
    let isDead = false;
    /** Whatever a dead process would still do, it does not. */
    function contact(): void {
      if (isDead) throw new Killed();
      contacts += 1;
      if (contacts >= killAt) {
        isDead = true;
        throw new Killed();
      }
    }
    run.epoch += 1;
    const aborted = new AbortController();
    const workshop: Workshop = {
      definition: async (name) => params.definition(name),
      source: watched(params.source, contact),
      outputs: watchedOutputs(params.through?.(outputs) ?? outputs, contact),
      runs: {
        begin: async () => null,
        progress: async () => {},
        finish: async (_, file) => {
          contact();
          run.file = file.file as FilePlace;
          run.finish = { ...file };
          return null;
        },
        token: async () => null,
        forgetToken: async () => {},
      },
      token: async () => 'the-token',
      deliver: params.deliver ?? (async () => ({ status: 200 })),
      steps: params.steps ?? (() => undefined),
      forgetToken: async () => {},
      metrics: { chunk() {}, restarted() {}, failed() {} },
      clock: { now: params.now ?? (() => Date.now()), after: () => () => {} },
      config,
    };
    const context: JobContext = {
      step: (_name, work) => work(),
      signal: aborted.signal,
      lease: { id: run.id, epoch: run.epoch, claim: run.epoch },
      log: { info() {}, warn() {}, error() {} },
      enqueue() {},
      progress() {},
      pauseTimeout: () => () => {},
      get: async () => null,
    };
    const job = {
      id: run.id,
      kind: 'report',
      data: run.data,
      tenant: '',
      attempt: 1,
      maxAttempts: 4,
      createdAt: Date.UTC(2026, 0, 31),
      cursor: run.cursor,
      correlationId: 'c',
      submitter: 'ada',
      parents: {},
    };
    const chunks = runReport(workshop, job, context);
    try {
      for (;;) {
        const next = await chunks.next();
        if (next.done === true) return { contacts, outcome: next.value };
        // Between the sync of the bytes and the save of the cursor.
        contact();
        run.cursor = JSON.parse(JSON.stringify(next.value.cursor));
        run.chunks.push(next.value);
        contact();
      }
    } catch (error) {
      if (!isDead) throw error;
      aborted.abort();
      return { contacts, outcome: 'killed' as const };
    }
  }

  return {
    execute,
    async bytesOf({ file }) {
      if (file === null) throw new Error('there is no file');
      const pieces: Uint8Array[] = [];
      for await (const piece of outputs.read(file)) pieces.push(piece);
      return Buffer.concat(pieces);
    },
    outputs,
    folder,
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

function watched(source: SqlSource, contact: () => void): SqlSource {
  return {
    ...source,
    async begin(options) {
      contact();
      const reading = await source.begin(options);
      return watchedReading(reading, contact);
    },
  };
}

function watchedReading(reading: Reading, contact: () => void): Reading {
  return {
    ...reading,
    set: async (values) => {
      contact();
      await reading.set(values);
    },
    async *copy(sql, cut, values) {
      contact();
      for await (const rows of reading.copy(sql, cut, values)) {
        yield rows;
        contact();
      }
    },
  };
}

function watchedOutputs(outputs: Outputs, contact: () => void): Outputs {
  return {
    ...outputs,
    async open(params) {
      contact();
      const output = await outputs.open(params);
      return {
        get canSync() {
          return output.canSync;
        },
        async write(bytes) {
          contact();
          await output.write(bytes);
        },
        async sync() {
          contact();
          const place = await output.sync();
          contact();
          return place;
        },
        async finish() {
          contact();
          const finished = await output.finish();
          contact();
          return finished;
        },
        abandon: () => output.abandon(),
      };
    },
  };
}
