import { defineCommand } from '../../line/command.ts';
import { EXIT } from '../../line/exit.ts';
import { paragraph } from '../../render/fields.ts';
import {
  countLines,
  headLine,
  kindLines,
  poolLines,
  replicaLines,
  upLine,
} from '../../render/overview.ts';
import { warnOfMissing } from '../../jobs/missing.ts';
import { takeSnapshot } from '../../jobs/snapshot.ts';

export const stats = defineCommand({
  name: 'stats',
  summary: 'Shows counts by kind and state, workers and pools.',
  usage: [''],
  words: { least: 0, most: 0 },
  options: {},
  examples: ['millrace stats', 'millrace stats --json | jq .states.QUEUED'],
  async run(context) {
    const { client, out, json, quiet, url, document, world } = context;
    const snapshot = await takeSnapshot(client, world.now);
    warnOfMissing(context, snapshot.missing ?? []);
    if (json) {
      document(snapshot);
      return EXIT.ok;
    }
    if (quiet) {
      for (const line of countLines(snapshot)) out.line(line);
      return EXIT.ok;
    }
    const blocks = [
      [headLine(url, snapshot, 0, out), ...paragraph(upLine(snapshot), out.columns)],
      kindLines(snapshot, out),
      replicaLines(snapshot, out),
      poolLines(snapshot, out),
    ];
    const shown = blocks.filter((lines) => lines.length > 0);
    out.line(shown.map((lines) => lines.join('\n')).join('\n\n'));
    return EXIT.ok;
  },
});
