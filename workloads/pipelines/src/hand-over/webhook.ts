import type { Deliver } from '@millrace/workload-kit';
import { z } from 'zod';
import { lookupOf } from '../runs/values.ts';
import type { PipelineRunRecord } from '../runs/pipeline-run.ts';
import type { HandOver } from '../step/work.ts';

const inputSchema = z.strictObject({
  url: z
    .string()
    .refine((url) => URL.canParse(url), { error: 'write a URL such as https://example.com/hook.' }),
  body: z.unknown().optional(),
});

/** Tells a URL of the outside, signed as webhooks of jobs are. The receiver knows a repetition by its id. */
export function webhookStep(deliver: Deliver): HandOver {
  return {
    input: inputSchema,
    // An address that values become part of could lead anywhere.
    literal: ['url'],
    outputs: ['status'],
    async hand({ input, who, key, run, signal }) {
      const { url, body } = inputSchema.parse(input);
      const { status } = await deliver({
        url,
        id: key,
        body: body ?? summaryOf(run),
        correlationId: who.correlationId,
        signal,
      });
      return { status };
    },
  };
}

/** What is sent unless the file says something else. */
function summaryOf(run: PipelineRunRecord) {
  const lookup = lookupOf(run);
  return {
    type: 'pipeline',
    pipeline: run.pipeline,
    title: run.plan.title,
    run: run.id,
    createdAt: lookup('run.createdAt'),
    parameters: run.parameters,
    steps: Object.fromEntries(
      run.steps.map(({ step, state, startedId, output }) => [
        step,
        { state, ...(startedId !== null && { id: startedId }), ...output },
      ]),
    ),
  };
}
