import type { Duration } from '@millrace/engine';
import { eventsOf, requireForeignKey } from '@millrace/runs';
import { type HandlersOf, ok } from '@millrace/workload-kit';
import type { contract } from '../contract/index.ts';
import type { PipelinesWithin } from '../within.ts';

/** Every route of pipelines, for one caller. */
export function handlersOf({
  catalogue,
  runs,
}: PipelinesWithin): HandlersOf<typeof contract.routes> {
  return {
    async listPipelines({ query }) {
      return ok(catalogue.list(query));
    },
    async getPipeline({ params: { name } }) {
      return ok(catalogue.get(name));
    },
    async startPipeline({ params: { name }, body, caller }) {
      const { parameters, key, keyWindow } = body;
      requireForeignKey(key);
      const run = await runs.submit({
        pipeline: name,
        parameters,
        submitter: caller?.name ?? null,
        roles: caller?.roles ?? [],
        claims: caller?.claims ?? {},
        key,
        // The contract's pattern is the engine's.
        keyWindow: keyWindow as Duration | undefined,
      });
      return { status: 202, body: run };
    },
    async listPipelineRuns({ query }) {
      const { items, next } = await runs.list(query);
      return ok({ runs: items, next });
    },
    async getPipelineRun({ params: { id } }) {
      return ok(await runs.get(id));
    },
    async pipelineRunEvents({ params: { id }, signal }) {
      const first = { type: 'pipeline' as const, run: await runs.get(id) };
      return { ...ok(first), events: eventsOf('pipeline', runs.watch(id, signal)) };
    },
    async cancelPipelineRun({ params: { id } }) {
      return ok(await runs.cancel(id));
    },
    async resumePipelineRun({ params: { id }, body: { withFile } }) {
      return ok(await runs.resume(id, { withFile }));
    },
  };
}
