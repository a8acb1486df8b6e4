import type { BusinessUnit, RowPage } from '@millrace/marketing-cloud';
import { runTopic, runsWithin } from '@millrace/runs';
import type { PageParams, Scope, Topic } from '@millrace/workload-kit';
import { runJson } from './handlers/json.ts';
import type { Queries } from './queries.ts';
import type { Rowset } from './results/results.ts';
import type { QueryRunFilter, QueryRunRecord } from './runs/query-run.ts';
import { type NewRun, noRun } from './runs/runs.ts';
import type { Snippet, Whose } from './snippets/snippets.ts';

/** The queries as a caller may see them: what is outside of the scope is answered as if it were not there. */
export function queriesWithin(queries: Queries, scope: Scope) {
  const { runs, mids, watch, snippets } = queries;

  function whose(userId: string): Whose {
    scope.accessTrace?.touched([scope.tenant]);
    return { tenantId: scope.tenant, userId };
  }

  const { own, list } = runsWithin(scope, { find: (id) => runs.find(id), missing: noRun });

  const whoseUnits = { tenant: scope.tenant, user: scope.owner };

  return {
    runs: {
      submit(run: Omit<NewRun, 'tenant'>): Promise<QueryRunRecord> {
        scope.accessTrace?.touched([scope.tenant]);
        return runs.submit({ ...run, tenant: scope.tenant });
      },
      get: (id: string): Promise<QueryRunRecord> => own(id),
      list: (params: PageParams & QueryRunFilter) => list(params, runs.list),
      cancel: async (id: string): Promise<QueryRunRecord> => runs.cancel((await own(id)).id),
      async *watch(id: string, signal: AbortSignal): AsyncGenerator<QueryRunRecord> {
        yield* watch((await own(id)).id, signal);
      },
    },
    snippets: {
      async list(params: PageParams & { readonly userId: string }) {
        const page = await snippets.list({ ...params, tenants: scope.tenants });
        if (page.items.length > 0) scope.accessTrace?.touched(scope.tenants);
        return page;
      },
      get: (name: string, userId: string) => snippets.get(name, whose(userId)),
      save: (snippet: Pick<Snippet, 'name' | 'sqlText' | 'shared' | 'userId'>) =>
        snippets.save({ ...snippet, ...whose(snippet.userId) }),
      /** Whoever is for all of a tenant's things may also remove what others share. */
      remove: (name: string, userId: string) =>
        snippets.remove(name, { ...whose(userId), anyShared: scope.owner === null }),
    },
    catalog: queries.catalog,
    /** All business units of the caller's tenant. */
    mids: (): readonly string[] => mids.of(whoseUnits),
    /** A business unit of the caller's tenant: the one that is asked for, or the first. */
    businessUnit: (mid?: string) => queries.businessUnit(mids.pick(whoseUnits, mid)),
    /** Where the rows of a run of theirs are. Of a run without rows nobody asks, whatever became of its account. */
    rowsetOf(run: QueryRunRecord): Rowset {
      let { rowCount } = run;
      const noted = async (page: RowPage): Promise<RowPage> => {
        if (rowCount !== null && page.count > rowCount) {
          rowCount = page.count;
          await queries.counted(run, page.count);
        }
        return page;
      };
      const unit = (): BusinessUnit => queries.businessUnit(run.mid);
      return {
        rows: async (key, options) =>
          noted(await queries.counting(run, () => unit().rows(key, options))),
        rowsAfter: async (next, options) =>
          noted(await queries.counting(run, () => unit().rowsAfter(next, options))),
      };
    },
    enterpriseTables: mids.enterpriseTables,
    mid: (mid?: string): string => mids.pick(whoseUnits, mid),
  };
}

export type QueriesWithin = ReturnType<typeof queriesWithin>;

/** Runs in live events. */
export function queryTopic({ runs }: Queries): Topic {
  return runTopic({ ...runs, eventOf: (run) => ({ type: 'run', run: runJson(run) }) });
}
