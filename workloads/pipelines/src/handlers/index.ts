import type { Duration } from '@millrace/engine';
import { INTERNAL_KEYS } from '@millrace/engine';
import { type HandlersOf, ok } from '@millrace/workload-kit';
import type { contract } from '../contract/index.ts';
import { PipelineError } from '../errors.ts';
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
      // Those of schedules.
      if (key?.startsWith(INTERNAL_KEYS) === true)
        throw new PipelineError(
          'invalid_key',
          `Keys that begin with "${INTERNAL_KEYS}" are the service's own. Let yours begin otherwise.`,
        );
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
      const { createdAfter, createdBefore, ...filter } = query;
      const { items, next } = await runs.list({
        ...filter,
        createdAfter: msOf(createdAfter),
        createdBefore: msOf(createdBefore),
      });
      return ok({ runs: items, next });
    },
    async getPipelineRun({ params: { id } }) {
      return ok(await runs.get(id));
    },
    async pipelineRunEvents({ params: { id }, signal }) {
      const first = { type: 'pipeline' as const, run: await runs.get(id) };
      return { ...ok(first), events: eventsOf(runs.watch(id, signal)) };
    },
    async cancelPipelineRun({ params: { id } }) {
      return ok(await runs.cancel(id));
    },
    async resumePipelineRun({ params: { id }, body: { withFile } }) {
      return ok(await runs.resume(id, { withFile }));
    },
  };
}

async function* eventsOf<Run>(seen: AsyncIterable<Run>) {
  for await (const run of seen) yield { type: 'pipeline' as const, run };
}

function msOf(moment: string | undefined): number | undefined {
  return moment === undefined ? undefined : Date.parse(moment);
}
