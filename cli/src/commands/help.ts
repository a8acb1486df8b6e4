import { type Command, defineCommand, findCommand } from '../line/command.ts';
import { EXIT } from '../line/exit.ts';
import { commandHelp, overview } from '../line/help.ts';

export function createHelp(commands: () => readonly Command[]): Command {
  return defineCommand({
    name: 'help',
    summary: 'Lists all commands, or shows how to use one.',
    usage: ['[COMMAND]'],
    words: { least: 0, most: 1 },
    options: {},
    examples: [],
    async run({ out }, { words: [name] }) {
      if (name === undefined) out.line(overview(commands()));
      else out.line(commandHelp(findCommand(commands(), name)));
      return EXIT.ok;
    },
  });
}
