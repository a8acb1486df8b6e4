import type { Thing, Topic } from '@millrace/workload-kit';
import { runJson } from './handlers/json.ts';
import type { Queries } from './queries.ts';
import { queriesWithin } from './within.ts';
import type { Run } from './run.ts';

const MOST_RUNS = 200;

/** Runs in live events: those that live at first, then each as it changes. */
export function runTopic(queries: Queries): Topic {
  return {
    async read(ids) {
      const found = await queries.runs.byIds(ids);
      return found.map(thingOf);
    },
    async present(scope) {
      const { runs } = queriesWithin(queries, scope);
      const [queued, running] = await Promise.all([
        runs.list({ status: 'queued', limit: MOST_RUNS }),
        runs.list({ status: 'running', limit: MOST_RUNS }),
      ]);
      return [...queued.items, ...running.items].map(thingOf);
    },
  };
}

function thingOf(run: Run): Thing {
  return {
    id: run.id,
    tenant: run.tenantId,
    submitter: run.userId,
    event: { type: 'run', run: runJson(run) },
  };
}
