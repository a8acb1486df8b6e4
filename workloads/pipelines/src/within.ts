import { runTopic, runsWithin } from '@millrace/runs';
import { type PageParams, type Scope, type Topic, badCursor } from '@millrace/workload-kit';
import { definitionOf } from './catalogue.ts';
import type { PipelineRun } from './contract/runs.ts';
import { pipelineJson, runJson } from './handlers/json.ts';
import type { Pipelines } from './pipelines.ts';
import type { PipelineRunRecord } from './runs/pipeline-run.ts';
import { type NewRun, type PipelineFilter, noRun } from './runs/runs.ts';

/** The pipelines as a caller may see them: what is outside of the scope is answered as if it were not there. */
export function pipelinesWithin(pipelines: Pipelines, scope: Scope) {
  const { runs, watch, catalogue, works, now } = pipelines;
  const shown = (run: PipelineRunRecord): PipelineRun => runJson(run, catalogue.now(), works);
  const { own, list } = runsWithin(scope, { find: (id) => runs.find(id), missing: noRun });

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
      async list(params: PageParams & PipelineFilter) {
        const { items, next } = await list(params, runs.list);
        return { items: items.map(shown), next };
      },
      async cancel(id: string): Promise<PipelineRun> {
        return shown(await runs.cancel((await own(id)).id));
      },
      async resume(id: string, options: { readonly withFile: boolean }): Promise<PipelineRun> {
        return shown(await runs.resume((await own(id)).id, options));
      },
      async *watch(id: string, signal: AbortSignal): AsyncGenerator<PipelineRun> {
        for await (const run of watch((await own(id)).id, signal)) yield shown(run);
      },
    },
  };
}

export type PipelinesWithin = ReturnType<typeof pipelinesWithin>;

/** Runs in live events. */
export function pipelineTopic({ runs, catalogue, works }: Pipelines): Topic {
  return runTopic({
    ...runs,
    eventOf: (run) => ({ type: 'pipeline', run: runJson(run, catalogue.now(), works) }),
  });
}
