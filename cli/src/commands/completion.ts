import { readFileSync } from 'node:fs';
import { type Command, defineCommand } from '../line/command.ts';
import { completionsOf } from '../line/completion.ts';
import { EXIT } from '../line/exit.ts';
import { UsageError } from '../line/usage-error.ts';

/** Each has a file that hands the words so far to `millrace completion words -- …`, which knows the command table. */
const SHELLS: readonly string[] = ['bash', 'zsh', 'fish'];

/** src/ and dist/ are equally far from them. */
const SCRIPTS = new URL('../../completions/', import.meta.url);

export function createCompletion(commands: () => readonly Command[]): Command {
  return defineCommand({
    name: 'completion',
    summary: 'Prints shell completions.',
    usage: ['bash|zsh|fish'],
    words: { least: 1, most: Infinity },
    options: {},
    examples: [
      'source <(millrace completion bash)',
      'millrace completion zsh > ~/.zfunc/_millrace',
      'millrace completion fish > ~/.config/fish/completions/millrace.fish',
    ],
    async run(context, { words: [shell = '', ...typed] }) {
      if (shell === 'words') {
        for (const word of await completionsOf(commands(), context, typed)) context.out.line(word);
        return EXIT.ok;
      }
      if (!SHELLS.includes(shell) || typed.length > 0)
        throw new UsageError(
          `There is completion for ${new Intl.ListFormat('en').format(SHELLS)}, not for "${[shell, ...typed].join(' ')}".`,
        );
      context.out.line(readFileSync(new URL(`millrace.${shell}`, SCRIPTS), 'utf8').trimEnd());
      return EXIT.ok;
    },
  });
}
