import { defineCommand } from '../../line/command.ts';
import { confirm, requirePerson } from '../../terminal/confirm.ts';
import { EXIT } from '../../line/exit.ts';
import { flag } from '../../line/option.ts';
import { counted } from '../../render/number.ts';
import { clean } from '../../render/width.ts';

export const erase = defineCommand({
  name: 'erase',
  summary: 'Erases jobs and documents about a person or thing.',
  usage: ['SUBJECT'],
  words: { least: 1, most: 1 },
  options: { yes: flag('Does not ask for confirmation.', 'y') },
  examples: ['millrace erase customer-4711', 'millrace erase customer-4711 --yes'],
  async run(context, { words: [subject = ''], options: { yes } }) {
    const { client, out, json, quiet, document, note } = context;
    if (!yes) {
      requirePerson(context);
      const question = `Erase the documents and the data, result and error text of every job about "${clean(subject)}"? This cannot be undone.`;
      if (!(await confirm(context, question))) {
        note('Nothing was erased.');
        return EXIT.ok;
      }
    }
    const answer = await client.eraseSubject({ params: { subject } });
    if (json) document(answer);
    else if (!quiet)
      out.line(
        `${counted(answer.erased, 'job')}, ${counted(answer.files ?? 0, 'document')} and ${counted(answer.rows ?? 0, 'row')} erased.`,
      );
    return EXIT.ok;
  },
});
