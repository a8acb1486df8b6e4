import { BULK_OPTIONS, type BulkAction, runBulk } from '../../jobs/bulk.ts';
import { defineCommand } from '../../line/command.ts';
import { RETRYABLE } from '../../jobs/ended.ts';
import { flag, text } from '../../line/option.ts';
import { counted } from '../../render/number.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../line/exit.ts';
import { parseJson } from '../../input.ts';
import { UsageError } from '../../line/usage-error.ts';

const action: BulkAction = {
  verb: 'Retry',
  from: RETRYABLE,
  async one(client, id) {
    const answer = await client.retryJob({ params: { id } });
    return { answer, words: `${id}  queued again` };
  },
  async many(client, filter) {
    const answer = await client.retryJobs({ body: filter });
    return { answer, words: `${counted(answer.retried, 'job')} queued again.` };
  },
};

export const retry = defineCommand({
  name: 'retry',
  summary: 'Queues failed or cancelled jobs again, with fresh attempts.',
  usage: ['ID...', 'ID --edit | --data JSON', '--kind KIND [filters]', '--all'],
  words: { least: 0, most: Infinity },
  options: {
    ...BULK_OPTIONS,
    edit: flag('One job: opens its data in $EDITOR first.'),
    data: text('JSON', 'One job: replaces its data.'),
  },
  examples: [
    'millrace retry pg-42',
    'millrace retry pg-42 --edit',
    'millrace retry --kind report.monthly --state failed --since 1d',
    'millrace retry --error upload_failed --yes',
  ],
  run: (context, { words, options: { edit, data, ...options } }) =>
    edit === undefined && data === undefined
      ? runBulk(context, action, words, options)
      : retryWith(context, words, { edit, data }),
});

/** One job again, with data that someone has changed: given as JSON, or in their editor. */
async function retryWith(
  context: Context,
  ids: readonly string[],
  given: { readonly data?: string | undefined; readonly edit?: true | undefined },
): Promise<ExitCode> {
  const [id] = ids;
  if (id === undefined || ids.length > 1)
    throw new UsageError('New data applies to one job: give its id.');
  if (given.data !== undefined && given.edit) throw new UsageError('Give either --data or --edit.');
  const data =
    given.data === undefined ? await edited(context, id) : parseJson(given.data, 'The data');
  if (data === undefined) {
    context.note('The data is unchanged: nothing was queued.');
    return EXIT.ok;
  }
  const answer = await context.client.retryJob({ params: { id }, body: { data } });
  if (context.json) context.document(answer);
  else if (!context.quiet) context.out.line(`${id}  queued again, with new data`);
  return EXIT.ok;
}

/** Undefined: it was left as it was. */
async function edited({ client, world }: Context, id: string): Promise<unknown> {
  const { state, data } = await client.getJob({ params: { id } });
  if (state !== 'FAILED' && state !== 'CANCELED')
    throw new UsageError(`The job is ${state}: only failed and cancelled jobs can be retried.`);
  const before = `${JSON.stringify(data, null, 2)}\n`;
  const after = await world.edit(before);
  return after === before ? undefined : parseJson(after, 'What the editor left');
}
