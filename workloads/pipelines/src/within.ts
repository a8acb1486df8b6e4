import { type PageParams, type Scope, admitted, badCursor } from '@millrace/workload-kit';
import { definitionOf } from './catalogue.ts';
import type { PipelineRun } from './contract/runs.ts';
import { pipelineJson, runJson } from './handlers/json.ts';
import type { Pipelines } from './pipelines.ts';
import type { RunFilter } from './runs/list.ts';
import type { WholeRun } from './runs/record.ts';
import { type NewRun, noRun } from './runs/runs.ts';

/** The pipelines as a caller may see them: what is outside of the scope is answered as if it were not there. */
export function pipelinesWithin(pipelines: Pipelines, scope: Scope) {
  const { runs, watch, catalogue, works, now } = pipelines;
  const shown = (whole: WholeRun): PipelineRun => runJson(whole, catalogue.now(), works);

  /** The one way to a run of a caller's. */
  async function own(id: string): Promise<WholeRun> {
    const found = await runs.find(id);
    const within = admitted(
      scope,
      found && { whole: found, tenant: found.run.tenant, submitter: found.run.submitter },
    );
    if (within === null) throw noRun(id);
    return within.whole;
  }

  return {
    /** Files are of the installation: whoever may look sees them all. */
    catalogue: {
      list({ limit, cursor }: PageParams) {
        const view = catalogue.now();
        const names = [...view.pipelines.keys()];
        const from = cursor === undefined ? 0 : names.indexOf(cursor) + 1;
        if (cursor !== undefined && from === 0) throw badCursor();
        const end = limit === undefined ? names.length : from + limit;
        const listed = names.slice(from, end).flatMap((name) => view.pipelines.get(name) ?? []);
        return {
          pipelines: listed.map((each) => pipelineJson(each, view, works, now())),
          troubled: view.troubled.map(({ file, name, inForce, problems }) => ({
            file,
            name,
            hasOlder: inForce === 'older',
            problems: [...problems],
          })),
          next: end < names.length ? (names[end - 1] ?? null) : null,
        };
      },
      get(name: string) {
        const view = catalogue.now();
        return pipelineJson(definitionOf(view, name), view, works, now());
      },
    },
    runs: {
      async submit(run: Omit<NewRun, 'tenant'>): Promise<PipelineRun> {
        scope.accessTrace?.touched([scope.tenant]);
        return shown(await runs.submit({ ...run, tenant: scope.tenant }));
      },
      get: async (id: string): Promise<PipelineRun> => shown(await own(id)),
      async list(params: PageParams & Omit<RunFilter, 'tenants'>) {
        const { owner, tenants } = scope;
        // A member who asks for the runs of somebody else gets none.
        if (owner !== null && params.submitter !== undefined && params.submitter !== owner)
          return { items: [], next: null };
        const submitter = owner ?? params.submitter;
        const { items, next } = await runs.list({ ...params, submitter, tenants });
        if (items.length > 0) scope.accessTrace?.touched(tenants);
        return { items: items.map(shown), next };
      },
      async cancel(id: string): Promise<PipelineRun> {
        return shown(await runs.cancel((await own(id)).run.id));
      },
      async resume(id: string, options: { readonly withFile: boolean }): Promise<PipelineRun> {
        return shown(await runs.resume((await own(id)).run.id, options));
      },
      async *watch(id: string, signal: AbortSignal): AsyncGenerator<PipelineRun> {
        const { run } = await own(id);
        for await (const whole of watch(run.id, signal)) yield shown(whole);
      },
    },
  };
}

export type PipelinesWithin = ReturnType<typeof pipelinesWithin>;
