import type { Step, Workload } from '@millrace/workload-kit';
import { type Catalogue, createCatalogue } from './catalogue.ts';
import { contract } from './contract/index.ts';
import { toProblem } from './errors.ts';
import { handlersOf } from './handlers/index.ts';
import { createMailer } from './hand-over/email.ts';
import { webhookStep } from './hand-over/webhook.ts';
import { pipelineKinds } from './kinds.ts';
import { metricsOf } from './observe.ts';
import { MIGRATIONS, type Pipelines, openPipelines } from './pipelines.ts';
import { PIPELINE_TOPIC } from './runs/store.ts';
import { type PipelinesConfig, settings } from './settings.ts';
import { START, STEP } from './step/data.ts';
import { followSteps } from './step/follow.ts';
import type { Work } from './step/work.ts';
import { pipelineTopic, pipelinesWithin } from './within.ts';

const UPKEEP_EVERY_MS = 60_000;

/** Pipelines as a module: steps of all workloads in one file, carried on by the rules and gates of the engine. */
export const pipelines: Workload<PipelinesConfig, Pipelines, typeof contract, Catalogue> = {
  name: 'pipelines',
  settings,
  contract,
  migrations: MIGRATIONS,

  async load({ folder, timeZone }) {
    const catalogue = createCatalogue({ folder, timeZone });
    await catalogue.load();
    return catalogue;
  },

  declare: (_config, _around, catalogue) => ({
    kinds: pipelineKinds().map((kind) => ({ kind, needs: ['followers', 'schedules'] as const })),
    books: [followSteps],
    schedules: () => catalogue.schedules(),
    // Looks are short and many: they wait behind no documents.
    pools: [
      {
        name: 'pipelines',
        kinds: [STEP, START],
        concurrency: 20,
        batch: 20,
        interval: { active: '1s', idle: '5s' },
      },
    ],
  }),

  async open(host, { keepRunsMs, mail }, catalogue) {
    const { store, queue, live, clock, log, telemetry, deliver } = host;
    const mailer = mail === null ? null : createMailer(mail, host.steps);
    const own: Readonly<Record<string, Work>> = {
      webhook: webhookStep(deliver),
      ...(mailer !== null && { email: mailer.step }),
    };
    const works = (type: string): Work | Step | undefined =>
      Object.hasOwn(own, type) ? own[type] : host.steps(type);
    const service = await openPipelines({
      store,
      queue,
      catalogue,
      works,
      live,
      clock,
      now: Date.now,
      log,
      metrics: metricsOf(telemetry),
      keepRunsMs,
    });
    const { reconcile, sweep } = service;
    return {
      service,
      handlers: (scope) => handlersOf(pipelinesWithin(service, scope)),
      gauges(set) {
        for (const [state, count] of Object.entries(reconcile.live()))
          set('pipeline_live_runs', count, { state });
      },
      chores: [
        { name: 'reconcile', everyMs: UPKEEP_EVERY_MS, runOnce: reconcile.runOnce },
        { name: 'sweep', everyMs: UPKEEP_EVERY_MS, runOnce: sweep.runOnce },
      ],
      topics: { [PIPELINE_TOPIC]: pipelineTopic(service) },
      toProblem,
      erase: async (subject) => ({ ...(await service.erase(subject)) }),
      async close() {
        mailer?.close();
        await service.close();
      },
    };
  },
};
