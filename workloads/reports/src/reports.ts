import { join } from 'node:path';
import type { Clock, Log, Queue } from '@millrace/engine';
import type { SqlSource } from '@millrace/sql-source';
import { type Database, type Statement } from '@millrace/store-postgres';
import type { Deliver, Live, MeasuredCall, Step } from '@millrace/workload-kit';
import { storedReport } from './catalogue/catalogue.ts';
import { storedTable } from './catalogue/table.ts';
import type { Catalogue, CatalogueView, ReportDefinition } from './catalogue/types.ts';
import { openFiles } from './files.ts';
import type { FolderWatch } from './outputs/local/shared.ts';
import { type TokenBox, createTokenBox } from './identity/tokens.ts';
import type { ReportMetrics } from './observe.ts';
import { type FilePlace, type Outputs, filePlaceSchema } from './outputs/types.ts';
import type { Workshop } from './run/workshop.ts';
import { type RunRoom, openRuns } from './runs/open.ts';
import { createWanted } from './runs/wanted.ts';
import type { ReportsConfig } from './settings.ts';
import { sampleIn } from './sample/embedded.ts';
import type { Filling } from './sample/filling.ts';
import { openSource } from './source.ts';

/** The reports on a database of the queue, a folder of files and a source. */
export interface Reports extends RunRoom {
  readonly catalogue: Catalogue;
  readonly source: SqlSource;
  readonly outputs: Outputs;
  /** Null: all servers reach the same files anyway. */
  readonly folders: FolderWatch | null;
  /** Null: the source is a database of people's own. */
  readonly sample: Filling | null;
  readonly tokens: TokenBox;
  readonly metrics: ReportMetrics;
  readonly config: ReportsConfig;
  /** Throws for a URL that could not be delivered to. */
  readonly requireWebhook: (url: string) => void;
  /** What jobs work with. */
  readonly workshop: Workshop;
  /** The definition that a job was made with, whatever the files say by now; null: nobody has kept it. */
  definition(name: string, digest: string): Promise<ReportDefinition | null>;
  /** Removes files that no run wants. */
  sweepFiles(): Promise<{ readonly files: number; readonly uploads: number }>;
  close(): Promise<void>;
}

export interface ReportsParams {
  readonly database: Database;
  readonly queue: Queue;
  readonly live: Live;
  readonly clock: Clock;
  readonly log: Log;
  readonly dataFolder: string;
  readonly metrics: ReportMetrics;
  readonly config: ReportsConfig;
  /** Loaded, and not yet watched. */
  readonly catalogue: Catalogue;
  readonly steps: (name: string) => Step | undefined;
  /** Tells how long the source took to answer, and whether it did. */
  readonly call: MeasuredCall;
  readonly deliver: Deliver;
  readonly requireWebhook: (url: string) => void;
}

const INSTALLATION: Statement = {
  name: 'reports_installation',
  text: 'SELECT id FROM millrace.report_installation',
};

/** Sets up or updates its own tables. */
export async function openReports(params: ReportsParams): Promise<Reports> {
  const { database, queue, metrics, config, catalogue, log, dataFolder } = params;
  // Made before the outputs are: its tables say which installation this is.
  let outputs: Outputs | null = null;
  const room = await openRuns({
    ...params,
    removeFile: async (file) => {
      const place = placeOf(file);
      if (place !== null) await outputs?.remove(place);
    },
    onEnded: metrics.ended,
    onRemoved: metrics.removed,
    keepRunsMs: config.keepRunsMs,
  });
  const [installation] = await database.query<{ id: string }>(INSTALLATION, []);
  const files = await openFiles({
    config,
    dataFolder,
    database,
    namespace: installation?.id ?? 'none',
    log,
    call: params.call,
  });
  await files.folders?.runOnce();
  ({ outputs } = files);
  const { source, sample } = sampleIn(
    measured(openSource(config.source, join(dataFolder, 'reports-sample')), params.call),
    log,
  );
  const { definitions } = room;

  /** Rules and schedules name definitions by their digest: every version in force is kept before a job can name it. */
  async function keep({ reports }: CatalogueView): Promise<void> {
    await definitions.keep([...reports.values()]);
  }
  await catalogue.open();
  await keep(catalogue.now());
  const stopKeeping = catalogue.onChange((view) => {
    void keep(view).catch((err: unknown) =>
      log.error({ err }, 'Definitions of reports could not be kept'),
    );
  });

  async function definition(name: string, digest: string): Promise<ReportDefinition | null> {
    const current = catalogue.version(name, digest);
    if (current !== null) return current;
    const kept = await definitions.find(digest);
    if (kept === null) return null;
    const { name: keptName, text } = kept;
    const value =
      storedTable(keptName, text) ?? storedReport(keptName, text, { timeZone: config.timeZone });
    return value === null
      ? null
      : { name: keptName, file: `${keptName}.yaml`, text, digest, value };
  }

  const tokens = createTokenBox(config.tokenKeys);
  const workshop: Workshop = {
    definition,
    source,
    outputs: files.outputs,
    runs: {
      ...room.log,
      begin(execution, facts) {
        if (facts.resumed) metrics.resumed();
        return room.log.begin(execution, facts);
      },
    },
    steps: params.steps,
    async token({ id }) {
      const sealed = await room.log.token(id);
      return sealed === null ? null : tokens.open(sealed, id);
    },
    deliver: params.deliver,
    forgetToken: room.log.forgetToken,
    metrics,
    // By the wall: how long a source has been away is counted over several executions, and processes.
    clock: { ...params.clock, now: () => Date.now() },
    config: {
      chunk: config.chunk,
      statementTimeoutMs: config.statementTimeoutMs,
      snapshotMaxAgeMs: config.snapshotMaxAgeMs,
      patience: config.patienceMs,
      keepMs: config.keepMs,
    },
  };
  const wanted = createWanted({ database, queue, keepMs: config.keepMs });
  return {
    ...room,
    workshop,
    catalogue,
    source,
    sample,
    outputs: files.outputs,
    folders: files.folders,
    tokens,
    metrics,
    config,
    requireWebhook: params.requireWebhook,
    definition,
    sweepFiles: () => files.outputs.sweep({ wanted, now: Date.now() }),
    async close() {
      stopKeeping();
      await catalogue.close();
      await source.close();
      await files.close();
    },
  };
}

/** The embedded one is part of the process, and waits for its turn: that is no call to anything. */
function measured(source: SqlSource, call: MeasuredCall): SqlSource {
  if (source.kind === 'embedded') return source;
  const asked = { dependency: 'reports_source', operation: 'begin' };
  return { ...source, begin: (options) => call(asked, () => source.begin(options)) };
}

/** Null: written by a version of Millrace that is newer than this one. */
export function placeOf(file: unknown): FilePlace | null {
  return filePlaceSchema.safeParse(file).data ?? null;
}
