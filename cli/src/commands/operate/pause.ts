import { defineCommand } from '../../line/command.ts';
import { EXIT } from '../../line/exit.ts';

export const pause = defineCommand({
  name: 'pause',
  summary: 'Pauses a kind in all replicas.',
  usage: ['KIND'],
  words: { least: 1, most: 1 },
  options: {},
  examples: ['millrace pause report.monthly'],
  async run({ client, json, quiet, document, out }, { words: [kind = ''] }) {
    const answer = await client.pauseKind({ params: { kind } });
    if (json) document(answer);
    else if (!quiet) out.line(`"${kind}" is paused until "millrace resume ${kind}".`);
    return EXIT.ok;
  },
});
