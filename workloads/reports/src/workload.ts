import type { Workload } from '@millrace/workload-kit';
import { createCatalogue } from './catalogue/catalogue.ts';
import type { Catalogue } from './catalogue/types.ts';
import { contract } from './contract/index.ts';
import { examine } from './doctor.ts';
import { toProblem } from './errors.ts';
import { handlersOf } from './handlers/index.ts';
import { sourceCheck } from './health.ts';
import { REPORT } from './job-data.ts';
import { reportKinds } from './kinds.ts';
import { metricsOf } from './observe.ts';
import { outputFolderOf } from './files.ts';
import { type Reports, openReports } from './reports.ts';
import { reportRules } from './rules/book.ts';
import { schedulesOf } from './rules/schedules.ts';
import { runImport } from './runs/import.ts';
import { REPORT_TOPIC } from './runs/log.ts';
import { MIGRATIONS } from './runs/open.ts';
import { type ReportsConfig, settings } from './settings.ts';
import { runTopic } from './topic.ts';
import { reportStep } from './step.ts';
import { reportsWithin } from './within.ts';

const UPKEEP_EVERY_MS = 2_000;
const SWEEP_EVERY_MS = 60_000;
const FILES_EVERY_MS = 10 * 60_000;

/** Reports as a module: SQL exported in chunks that survive a crash, with rules between them. */
export const reports: Workload<ReportsConfig, Reports, typeof contract, Catalogue> = {
  name: 'reports',
  settings,
  contract,
  migrations: MIGRATIONS,

  async load({ folder, timeZone }) {
    const catalogue = createCatalogue({ folder, defaults: { timeZone } });
    await catalogue.load();
    return catalogue;
  },

  declare: ({ concurrency, retry, poll }, _, catalogue) => ({
    kinds: reportKinds({ concurrency, retry }).map((kind) => ({
      kind,
      needs: ['chunks', 'followers'],
    })),
    books: [reportRules(() => catalogue.now())],
    schedules: () => schedulesOf(catalogue.now()),
    // Reports take minutes each, and hold a connection to the source: few of them, beside everything else.
    pools: [
      {
        name: 'reports',
        kinds: [REPORT],
        concurrency,
        batch: poll.batch,
        interval: { active: poll.intervalMs, idle: poll.intervalMs },
      },
    ],
  }),

  examine,

  keepsFiles: (config, dataFolder) =>
    config.storage === null
      ? [{ what: 'files of reports', folder: outputFolderOf(config, dataFolder) }]
      : [],

  imports: { report: runImport },

  async open(host, config, catalogue) {
    const { store, queue, live, clock, log, telemetry, dataFolder, steps } = host;
    const { deliver, requireWebhook } = host;
    const service = await openReports({
      database: store.database,
      queue,
      live,
      clock,
      log,
      dataFolder,
      metrics: metricsOf(telemetry),
      config,
      catalogue,
      steps,
      call: telemetry.call,
      deliver,
      requireWebhook,
    });
    const { upkeep, sweep, source, folders } = service;
    return {
      service,
      handlers: (scope) => handlersOf(reportsWithin(service, scope)),
      gauges(set) {
        for (const [state, count] of Object.entries(upkeep.live()))
          set('report_live_runs', count, { state });
        set('report_broken_files', catalogue.now().troubled.length);
      },
      // The embedded one is part of the process: asking would only start it.
      checks: [
        ...(source.kind === 'postgres' ? [sourceCheck(source)] : []),
        ...(folders === null ? [] : [folders.check]),
      ],
      chores: [
        { name: 'runs of reports', everyMs: UPKEEP_EVERY_MS, runOnce: upkeep.runOnce },
        { name: 'sweep of reports', everyMs: SWEEP_EVERY_MS, runOnce: sweep.runOnce },
        {
          name: 'files of reports',
          everyMs: FILES_EVERY_MS,
          runOnce: async () => ({ ...(await service.sweepFiles()), more: false }),
        },
        ...(folders === null
          ? []
          : [
              {
                name: 'folders of reports',
                everyMs: FILES_EVERY_MS,
                runOnce: folders.runOnce,
              },
            ]),
      ],
      steps: {
        report: reportStep({
          runs: service.runs,
          catalogue: () => catalogue.now(),
          outputs: service.outputs,
          // By the wall: what "today" is.
          now: Date.now,
        }),
      },
      topics: { [REPORT_TOPIC]: runTopic(service) },
      toProblem,
      erase: async (subject) => ({ ...(await service.erase(subject)) }),
      close: () => service.close(),
    };
  },
};
