import { BULK_OPTIONS, type BulkAction, runBulk } from '../../jobs/bulk.ts';
import { defineCommand } from '../../line/command.ts';
import { RETRYABLE } from '../../jobs/ended.ts';
import { flag, text } from '../../line/option.ts';
import { counted } from '../../render/number.ts';
import { retryWith } from '../../jobs/retry-with.ts';

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
