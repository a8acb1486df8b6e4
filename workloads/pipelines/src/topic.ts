import type { Thing, Topic } from '@millrace/workload-kit';
import { runJson } from './handlers/json.ts';
import type { Pipelines } from './pipelines.ts';
import type { WholeRun } from './runs/record.ts';

const MOST_RUNS = 200;

/** Runs in live events: those that live at first, then each as it changes. */
export function pipelineTopic({ runs, catalogue, works }: Pipelines): Topic {
  const thingOf = (whole: WholeRun): Thing => ({
    id: whole.run.id,
    tenant: whole.run.tenant,
    submitter: whole.run.submitter,
    event: { type: 'pipeline', run: runJson(whole, catalogue.now(), works) },
  });
  return {
    async read(ids) {
      return (await runs.byIds(ids)).map(thingOf);
    },
    async present({ tenants, owner }) {
      const { items } = await runs.list({
        state: 'running',
        limit: MOST_RUNS,
        tenants,
        submitter: owner ?? undefined,
      });
      return items.map(thingOf);
    },
  };
}
