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
