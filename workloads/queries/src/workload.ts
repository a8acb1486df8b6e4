import { createMarketingCloud } from '@millrace/marketing-cloud';
import type { Workload } from '@millrace/workload-kit';
import { openAccounts } from './accounts.ts';
import { createCallsBudget } from './budget.ts';
import { contract } from './contract/index.ts';
import { examine } from './doctor.ts';
import { toProblem } from './errors.ts';
import { handlersOf } from './handlers/index.ts';
import { askFirstTokens } from './first-token.ts';
import { createCloudHealth } from './health.ts';
import { EXECUTE, POLL } from './jobs.ts';
import { queryKinds } from './kinds.ts';
import { metricsOf } from './observe.ts';
import { MIGRATIONS, type Queries, openQueries } from './queries.ts';
import { type QueriesConfig, settings } from './settings.ts';
import { runImport } from './runs/import.ts';
import { RUN_TOPIC } from './runs/store.ts';
import { snippetImport } from './snippets/import.ts';
import { queryStep } from './step.ts';
import { queriesWithin, queryTopic } from './within.ts';

const UPKEEP_EVERY_MS = 60_000;

/** Shell queries as a module: SQL on Marketing Cloud, polled by one job that defers itself. */
export const queries: Workload<QueriesConfig, Queries, typeof contract> = {
  name: 'queries',
  settings,
  contract,
  migrations: MIGRATIONS,

  declare: ({ accounts, concurrency }) =>
    accounts.length === 0
      ? { kinds: [] }
      : {
          kinds: queryKinds(concurrency).map((kind) => ({ kind, redis: true })),
          // Polls are short and many: they are claimed as they fall due, and wait behind no other kind.
          pools: [
            {
              name: 'queries',
              kinds: [EXECUTE, POLL],
              concurrency,
              batch: Math.min(concurrency, MOST_CLAIMED),
              interval: { active: '1s', idle: '5s' },
            },
          ],
        },

  examine,

  imports: { query: runImport, snippet: snippetImport },

  async open(host, { accounts, enterpriseTables, work, gatherMs, keepRunsMs, installation }) {
    const { store, queue, live, clock, log, telemetry } = host;
    const isWithout = accounts.length === 0;
    const health = createCloudHealth();
    const service = await openQueries({
      store,
      queue,
      live,
      clock,
      log,
      metrics: metricsOf(telemetry),
      config: work,
      gatherMs,
      keepRunsMs,
      installation,
      account: isWithout
        ? null
        : {
            mids: accounts.flatMap(({ mids }) => mids),
            enterpriseTables,
            open: (onCall) =>
              openAccounts(accounts, (account) => {
                const cloud = createMarketingCloud(account, {
                  log,
                  onCall(call) {
                    health.onCall(call);
                    onCall(call);
                  },
                });
                void askFirstTokens(cloud, account, health).catch((err: unknown) =>
                  log.error({ err }, 'The first token could not be asked for'),
                );
                return cloud;
              }),
          },
    });
    const { reconcile, sweep } = service;
    return {
      service,
      handlers: (scope) => handlersOf(queriesWithin(service, scope)),
      gauges(set) {
        const { QUEUED, PROCESSING } = reconcile.live();
        set('shell_query_live_runs', QUEUED, { status: 'queued' });
        set('shell_query_live_runs', PROCESSING, { status: 'running' });
      },
      budgets: isWithout ? async () => [] : createCallsBudget(store.database),
      checks: isWithout ? [] : [health.check],
      chores: isWithout
        ? []
        : [
            { name: 'reconcile', everyMs: UPKEEP_EVERY_MS, runOnce: reconcile.runOnce },
            { name: 'sweep', everyMs: UPKEEP_EVERY_MS, runOnce: sweep.runOnce },
          ],
      // Without an account nothing can be begun, and a pipeline says so.
      steps: isWithout ? {} : { query: queryStep(service) },
      topics: { [RUN_TOPIC]: queryTopic(service) },
      toProblem,
      erase: async (subject) => ({ ...(await service.erase(subject)) }),
      close: () => service.close(),
    };
  },
};

const MOST_CLAIMED = 100;
