import { BULK_OPTIONS, type BulkAction, runBulk } from '../../jobs/bulk.ts';
import { defineCommand } from '../../line/command.ts';
import { CANCELABLE } from '../../jobs/ended.ts';
import { count, counted } from '../../render/number.ts';

const action: BulkAction = {
  verb: 'Cancel',
  from: CANCELABLE,
  async one(client, id) {
    const answer = await client.cancelJob({ params: { id } });
    const words = { canceled: 'cancelled', requested: 'runs, and was asked to stop' };
    return { answer, words: `${id}  ${words[answer.outcome]}` };
  },
  async many(client, filter) {
    const answer = await client.cancelJobs({ body: filter });
    const running =
      answer.requested === 0 ? '' : `, ${count(answer.requested)} running asked to stop`;
    return { answer, words: `${counted(answer.canceled, 'job')} cancelled${running}.` };
  },
};

export const cancel = defineCommand({
  name: 'cancel',
  summary: 'Cancels jobs: waiting ones at once, running ones soon.',
  usage: ['ID...', '--kind KIND [filters]', '--all'],
  words: { least: 0, most: Infinity },
  options: BULK_OPTIONS,
  examples: [
    'millrace cancel pg-42',
    'millrace cancel --kind report.monthly --state queued',
    'millrace cancel --tenant acme --until 7d --yes',
  ],
  run: (context, { words, options }) => runBulk(context, action, words, options),
});
