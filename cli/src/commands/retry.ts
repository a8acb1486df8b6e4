import { BULK_OPTIONS, type BulkAction, runBulk } from '../bulk.ts';
import { defineCommand } from '../command.ts';
import { RETRYABLE } from '../ended.ts';
import { counted } from '../render/number.ts';

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
  usage: ['ID...', '--kind KIND [filters]', '--all'],
  words: { least: 0, most: Infinity },
  options: BULK_OPTIONS,
  examples: [
    'millrace retry pg-42',
    'millrace retry --kind report.monthly --state failed --since 1d',
    'millrace retry --error upload_failed --yes',
  ],
  run: (context, { words, options }) => runBulk(context, action, words, options),
});
