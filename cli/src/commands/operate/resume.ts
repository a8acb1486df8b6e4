import { defineCommand } from '../../line/command.ts';
import { EXIT } from '../../line/exit.ts';

export const resume = defineCommand({
  name: 'resume',
  summary: 'Resumes a paused kind.',
  usage: ['KIND'],
  words: { least: 1, most: 1 },
  options: {},
  examples: ['millrace resume report.monthly'],
  async run({ client, json, quiet, document, out }, { words: [kind = ''] }) {
    const answer = await client.resumeKind({ params: { kind } });
    if (json) document(answer);
    else if (!quiet) out.line(`"${kind}" runs again.`);
    return EXIT.ok;
  },
});
