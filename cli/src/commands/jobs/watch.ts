import { defineCommand } from '../../line/command.ts';
import { watchService } from '../../jobs/overview.ts';
import { watchJobs } from '../../jobs/watching.ts';

export const watch = defineCommand({
  name: 'watch',
  summary: 'Follows jobs to their end; without ids, the whole service.',
  usage: ['ID...', ''],
  words: { least: 0, most: Infinity },
  options: {},
  examples: [
    'millrace watch pg-42 pg-43',
    'millrace watch pg-42 -q && echo done',
    'millrace watch',
  ],
  run: (context, { words }) =>
    words.length === 0 ? watchService(context) : watchJobs(context, words),
});
