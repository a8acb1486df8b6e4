import { ApiError, type Job } from '@millrace/api';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { RETRYABLE, exitCodeFor, hasEnded } from '../ended.ts';
import { jobDetail } from '../render/job-detail.ts';

export const job = defineCommand({
  name: 'job',
  summary: 'Shows everything about one job.',
  usage: ['ID'],
  words: { least: 1, most: 1 },
  options: {},
  examples: ['millrace job pg-42', 'millrace job pg-42 --json | jq .result'],
  async run(context, { words: [id = ''] }) {
    const found = await context.client.getJob({ params: { id } });
    if (context.json) context.document(found);
    else if (context.quiet) context.out.line(found.state);
    else await show(context, found);
    return exitCodeFor([found.state]);
  },
});

async function show({ client, out, world, note }: Context, found: Job): Promise<void> {
  const why = hasEnded(found.state) ? null : await whyOf(client, found.id);
  for (const line of jobDetail(found, why, world.now(), out)) out.line(line);
  if (RETRYABLE.includes(found.state)) {
    note(`\n"millrace retry ${found.id}" runs it again.`);
  }
}

/** An addition: without it, the job is still worth showing. What its own fields say is not repeated. */
async function whyOf(client: Context['client'], id: string): Promise<string | null> {
  try {
    const { reason, sentence } = await client.explainJob({ params: { id } });
    return reason === 'retry_wait' || reason === 'scheduled' ? null : sentence;
  } catch (thrown) {
    if (thrown instanceof ApiError) return null;
    throw thrown;
  }
}
