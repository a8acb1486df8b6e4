import { ApiError, type Job } from '@millrace/api';
import { defineCommand } from '../../line/command.ts';
import { confirm, requirePerson } from '../../terminal/confirm.ts';
import type { Context } from '../../context.ts';
import { RETRYABLE, exitCodeFor, hasEnded } from '../../jobs/ended.ts';
import { EXIT, type ExitCode } from '../../line/exit.ts';
import { flag } from '../../line/option.ts';
import { jobDetail } from '../../render/job-detail.ts';
import { clean } from '../../render/width.ts';
import { UsageError } from '../../line/usage-error.ts';
import { onlyFor, verbOf } from '../../line/verb.ts';

export const job = defineCommand({
  name: 'job',
  summary: 'Shows everything about one job, or deletes one that has ended.',
  usage: ['ID', 'delete ID [--yes]'],
  words: { least: 1, most: 2 },
  options: { yes: flag('delete: does not ask for confirmation.', 'y') },
  examples: [
    'millrace job pg-42',
    'millrace job pg-42 --json | jq .result',
    'millrace job delete pg-42',
  ],
  async run(context, { words, options }) {
    const [id = ''] = words;
    if (id === 'delete') {
      const { object } = verbOf('job', words, { delete: 'ID' });
      return remove(context, object, options.yes);
    }
    if (words[1] !== undefined)
      throw new UsageError(`"millrace job" shows or deletes one job; unknown word "${words[1]}".`);
    onlyFor('job', options, []);
    const found = await context.client.getJob({ params: { id } });
    if (context.json) context.document(found);
    else if (context.quiet) context.out.line(found.state);
    else await show(context, found);
    return exitCodeFor([found.state]);
  },
});

async function remove(context: Context, id: string, yes: true | undefined): Promise<ExitCode> {
  const { client, out, json, quiet, document, note } = context;
  if (!yes) {
    requirePerson(context);
    const { kind, state } = await client.getJob({ params: { id } });
    const question = `Delete the ${state} job ${id} of the kind ${kind}, with its data and result? This cannot be undone.`;
    if (!(await confirm(context, clean(question)))) {
      note('Nothing was deleted.');
      return EXIT.ok;
    }
  }
  const answer = await client.deleteJob({ params: { id } });
  if (json) document(answer);
  else if (!quiet) out.line(`${id}  deleted`);
  return EXIT.ok;
}

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
