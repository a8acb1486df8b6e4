export interface Instruction {
  readonly name: string;
  readonly flags: readonly string[];
  /** The words after the flags; of the JSON form, its strings. */
  readonly words: readonly string[];
  readonly text: string;
}

export function instructionsOf(dockerfile: string): Instruction[] {
  return dockerfile
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', options = '', text = ''] =
        /^\s*([A-Z]+)\s+((?:--[a-z-]+=\S+\s+)*)(.*?)\s*$/.exec(line) ?? [];
      const flags = options.split(/\s+/).filter((flag) => flag !== '');
      const words = text.startsWith('[') ? (JSON.parse(text) as string[]) : text.split(/\s+/);
      return { name, flags, words, text };
    });
}

/** Whether a path of the build context is left out, by Docker's rules: the last pattern that matches decides. */
export function ignoredBy(dockerignore: string): (path: string) => boolean {
  const rules = dockerignore
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({
      leavesOut: !line.startsWith('!'),
      pattern: patternOf(line.replace(/^!/, '')),
    }));
  return (path) => rules.findLast(({ pattern }) => pattern.test(path))?.leavesOut ?? false;
}

/** A pattern matches a folder with all that is in it. */
function patternOf(glob: string): RegExp {
  const source = glob
    .replaceAll(/[.+^$(){}|[\]\\]/g, '\\$&')
    .replaceAll(/\*\*\/|\*|\?/g, (wild) =>
      wild === '**/' ? '(?:.*/)?' : wild === '*' ? '[^/]*' : '[^/]',
    );
  return new RegExp(`^${source}(?:/.*)?$`);
}
