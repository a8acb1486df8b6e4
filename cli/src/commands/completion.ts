import { type Command, defineCommand } from '../line/command.ts';
import { completionsOf } from '../line/completion.ts';
import { EXIT } from '../line/exit.ts';
import { UsageError } from '../line/usage-error.ts';

/** Each hands the words so far to `millrace completion words -- …`, which knows the command table. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_millrace() {
  local IFS=$'\\n'
  COMPREPLY=($(millrace completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _millrace millrace`,
  zsh: `#compdef millrace
_millrace() {
  local -a found
  found=("\${(@f)$(millrace completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[*]}" ]]; then compadd -- $found; else _files; fi
}
# A file of $fpath is loaded, and run, by the first Tab: it has to complete too. One that is sourced registers the function.
if [[ \${funcstack[1]} == _millrace ]]; then _millrace "$@"; else compdef _millrace millrace; fi`,
  fish: `function __millrace_complete
  set -l found (millrace completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0; printf '%s\\n' $found; else; __fish_complete_path (commandline -ct); end
end
complete -c millrace -f -a '(__millrace_complete)'`,
};

export function createCompletion(commands: () => readonly Command[]): Command {
  return defineCommand({
    name: 'completion',
    summary: 'Prints what lets a shell complete what you type.',
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
      const script = SCRIPTS[shell];
      if (script === undefined || typed.length > 0)
        throw new UsageError(
          `There is completion for ${new Intl.ListFormat('en').format(Object.keys(SCRIPTS))}, not for "${[shell, ...typed].join(' ')}".`,
        );
      context.out.line(script);
      return EXIT.ok;
    },
  });
}
