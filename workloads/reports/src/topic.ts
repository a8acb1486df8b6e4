import type { Thing, Topic } from '@millrace/workload-kit';
import { runJson } from './handlers/json.ts';
import type { Reports } from './reports.ts';
import type { RunSight } from './runs/sight.ts';
import { reportsWithin } from './within.ts';

const MOST_RUNS = 200;

/** Runs in live events: those that live at first, then each as it changes. */
export function runTopic(reports: Reports): Topic {
  function thingOf(run: RunSight): Thing {
    const { id, tenant, submitter } = run;
    return { id, tenant, submitter, event: { type: 'report', run: runJson(run, reports.outputs) } };
  }

  return {
    read: async (ids) => (await reports.runs.byIds(ids)).map(thingOf),
    async present(scope) {
      const { runs } = reportsWithin(reports, scope);
      const [queued, processing] = await Promise.all([
        runs.list({ state: 'QUEUED', limit: MOST_RUNS }),
        runs.list({ state: 'PROCESSING', limit: MOST_RUNS }),
      ]);
      return [...queued.items, ...processing.items].map(thingOf);
    },
  };
}
