import type { BusinessUnit, RowPage } from '@millrace/marketing-cloud';
import { type Scope, admitted } from '@millrace/workload-kit';
import type { PageParams } from '@millrace/workload-kit';
import type { Queries } from './queries.ts';
import type { Rowset } from './results/results.ts';
import type { Run } from './run.ts';
import type { RunRecord } from './runs/record.ts';
import type { RunFilter } from './runs/records.ts';
import { type NewRun, noRun } from './runs/runs.ts';
import type { Snippet, Whose } from './snippets/snippets.ts';

/** The queries as a caller may see them: what is outside of the scope is answered as if it were not there. */
export function queriesWithin(queries: Queries, scope: Scope) {
  const { runs, mids, watch, snippets } = queries;

  function whose(userId: string): Whose {
    scope.accessTrace?.touched([scope.tenant]);
    return { tenantId: scope.tenant, userId };
  }

  /** The one way to a run of a caller's. */
  async function own(id: string): Promise<RunRecord> {
    const found = await runs.find(id);
    const within = admitted(
      scope,
      found && { run: found, tenant: found.tenantId, submitter: found.userId },
    );
    if (within === null) throw noRun(id);
    return within.run;
  }

  const whoseUnits = { tenant: scope.tenant, user: scope.owner };

  return {
    runs: {
      submit(run: Omit<NewRun, 'tenantId'>): Promise<Run> {
        scope.accessTrace?.touched([scope.tenant]);
        return runs.submit({ ...run, tenantId: scope.tenant });
      },
      get: (id: string): Promise<RunRecord> => own(id),
      async list(params: PageParams & Omit<RunFilter, 'tenants'>) {
        const { owner, tenants } = scope;
        // A member who asks for the runs of somebody else gets none.
        if (owner !== null && params.submitter !== undefined && params.submitter !== owner)
          return { items: [], next: null };
        const submitter = owner ?? params.submitter;
        const page = await runs.list({ ...params, submitter, tenants });
        if (page.items.length > 0) scope.accessTrace?.touched(tenants);
        return page;
      },
      cancel: async (id: string): Promise<Run> => runs.cancel((await own(id)).id),
      async *watch(id: string, signal: AbortSignal): AsyncGenerator<RunRecord> {
        yield* watch(await own(id), signal);
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
    rowsetOf(run: RunRecord): Rowset {
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
