import {
  type Page,
  type PageParams,
  type Scope,
  type Topic,
  admitted,
} from '@millrace/workload-kit';
import type { RunRecord } from './record.ts';
import type { RunFilter } from './table.ts';

/** The one way of a caller to runs: what is outside of the scope is answered as if it were not there. */
export interface RunsWithin<Run> {
  own(id: string): Promise<Run>;
  list<Filter extends PageParams & RunFilter>(
    filter: Omit<Filter, 'tenants'>,
    list: (filter: Filter) => Promise<Page<Run>>,
  ): Promise<Page<Run>>;
}

export function runsWithin<Run extends RunRecord>(
  scope: Scope,
  parts: { find: (id: string) => Promise<Run | null>; missing: (id: string) => Error },
): RunsWithin<Run> {
  return {
    async own(id) {
      const run = admitted(scope, await parts.find(id));
      if (run === null) throw parts.missing(id);
      return run;
    },
    async list(filter, list) {
      const { owner, tenants } = scope;
      const { submitter } = filter as RunFilter;
      // A member who asks for the runs of somebody else gets none.
      if (owner !== null && submitter !== undefined && submitter !== owner)
        return { items: [], next: null };
      const narrowed = { ...filter, submitter: owner ?? submitter, tenants };
      const page = await list(narrowed as Parameters<typeof list>[0]);
      if (page.items.length > 0) scope.accessTrace?.touched(tenants);
      return page;
    },
  };
}

const MOST_LIVE = 200;

/** Runs in live events: those that live at first, then each as it changes. */
export function runTopic<Run extends RunRecord>(parts: {
  byIds: (ids: readonly string[]) => Promise<readonly Run[]>;
  list: (filter: PageParams & RunFilter) => Promise<Page<Run>>;
  eventOf: (run: Run) => object;
}): Topic {
  const thingOf = (run: Run) => ({
    id: run.id,
    tenant: run.tenant,
    submitter: run.submitter,
    event: parts.eventOf(run),
  });
  return {
    read: async (ids) => (await parts.byIds(ids)).map(thingOf),
    async present({ tenants, owner }) {
      const filter = { isLive: true, limit: MOST_LIVE, tenants, submitter: owner ?? undefined };
      return (await parts.list(filter)).items.map(thingOf);
    },
  };
}
