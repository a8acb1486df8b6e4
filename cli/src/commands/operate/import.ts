import { defineCommand } from '../../line/command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../line/exit.ts';
import { messagesOfServer } from '../../server-program.ts';

/** A message of the server's own program. */
interface Told {
  readonly type: 'line';
  readonly what: string;
  readonly id: string;
  readonly outcome: 'added' | 'there' | 'expired';
  readonly as?: string;
}

export const importFile = defineCommand({
  name: 'import',
  summary: 'Imports runs, snippets and history of another system.',
  usage: ['FILE'],
  words: { least: 1, most: 1 },
  options: {},
  examples: ['millrace import old.jsonl', 'millrace import old.jsonl -q'],
  async run(context, { words: [file = ''] }) {
    const counts = { added: 0, there: 0, expired: 0 };
    for await (const told of messagesOfServer<Told>(context, 'import', [`--file=${file}`])) {
      counts[told.outcome] += 1;
      show(context, told);
    }
    const { added, there, expired } = counts;
    context.note(`Added ${added}, there already ${there}, left out ${expired}.`);
    return EXIT.ok;
  },
});

const SAID = { added: 'added', there: 'there already', expired: 'left out, its retention is over' };

function show({ out, json, quiet, document }: Context, told: Told): void {
  if (json) return document(told);
  const { what, id, outcome, as } = told;
  if (!quiet)
    return out.line(`${what} ${id}: ${SAID[outcome]}${as === undefined ? '' : ` as ${as}`}`);
  if (as !== undefined) out.line(`${what} ${id} ${as}`);
}
