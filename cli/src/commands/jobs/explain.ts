import { defineCommand } from '../../line/command.ts';
import { EXIT } from '../../line/exit.ts';
import { STATE_STYLE } from '../../render/colour.ts';
import { paragraph } from '../../render/fields.ts';
import { relative } from '../../render/time.ts';

export const explain = defineCommand({
  name: 'explain',
  summary: 'Says why a job is in its state, and until when.',
  usage: ['ID'],
  words: { least: 1, most: 1 },
  options: {},
  examples: ['millrace explain pg-42'],
  async run(context, { words: [id = ''] }) {
    const { client, out, world } = context;
    const found = await client.explainJob({ params: { id } });
    if (context.json) {
      context.document(found);
    } else if (context.quiet) {
      out.line(found.reason);
    } else {
      const state = out.paint(STATE_STYLE[found.state], found.state);
      out.line(`${out.paint('bold', found.id)}  ${state}  ${out.paint('dim', found.reason)}`);
      out.line('');
      for (const line of paragraph(found.sentence, out.columns - 2)) out.line(`  ${line}`);
      if (found.until !== null) {
        out.line(
          `  ${out.paint('dim', 'until')}  ${found.until}  (${relative(found.until, world.now())})`,
        );
      }
    }
    return EXIT.ok;
  },
});
