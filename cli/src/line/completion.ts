import { GLOBAL_OPTIONS, findCommandName, wordsAmong } from './arguments.ts';
import type { Command, FreeOptions } from './command.ts';
import type { Context } from '../context.ts';
import type { Options } from './option.ts';
import { askedQuickly, optionValues, wordValues } from './values.ts';

/** Candidates for the last word, which is a prefix or empty; the shell does the matching. */
export async function completionsOf(
  commands: readonly Command[],
  context: Context,
  words: readonly string[],
): Promise<string[]> {
  const last = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  // `--state=F` is `--state F` in one word.
  const [, option, value] = /^(--[^=]+)=(.*)$/s.exec(last) ?? [];
  if (option !== undefined && value !== undefined) {
    const found = await completionsOf(commands, context, [...before, option, value]);
    return found.map((each) => `${option}=${each}`);
  }
  const candidates = await candidatesFor(commands, context, before, last);
  return [...new Set(candidates)].filter((candidate) => candidate.startsWith(last));
}

async function candidatesFor(
  commands: readonly Command[],
  context: Context,
  before: readonly string[],
  last: string,
): Promise<readonly string[]> {
  const { name, rest } = findCommandName(before);
  const command = commands.find((each) => each.name === name);
  const options: Options = { ...GLOBAL_OPTIONS, ...command?.options };
  const previous = before.at(-1) ?? '';
  const option = previous.startsWith('--') ? options[previous.slice(2)] : undefined;
  if (option !== undefined && option.value !== null)
    return optionValues(context, option.value, name);
  const given = wordsAmong(rest, options);
  const free = await freeOf(command, context, given);
  if (previous.startsWith('--') && Object.hasOwn(free, previous.slice(2)))
    return free[previous.slice(2)] ?? [];
  if (last.startsWith('-'))
    return [...Object.keys(free), ...Object.keys(options)].map((each) => `--${each}`);
  if (command === undefined) return name === undefined ? commands.map((each) => each.name) : [];
  if (command.name === 'help') return commands.map((each) => each.name);
  return wordsOf(command, context, given);
}

async function freeOf(
  command: Command | undefined,
  context: Context,
  given: readonly string[],
): Promise<FreeOptions> {
  if (command?.freeOptions === undefined) return {};
  return (await askedQuickly(() => command.freeOptions?.(context, given) ?? null)) ?? {};
}

/** Candidates after the command's name, by its usage: `KIND`, or verbs such as `add FILE` and `stop`. */
async function wordsOf(
  command: Command,
  context: Context,
  given: readonly string[],
): Promise<readonly string[]> {
  const fitting = command.usage
    .map(wordsOfUsage)
    .filter((way) =>
      given.every((word, index) => isName(wordAt(way, index)) || wordAt(way, index) === word),
    );
  const next = new Set(fitting.flatMap((way) => wordAt(way, given.length)?.split('|') ?? []));
  const found = await Promise.all(
    [...next].map((word) =>
      isName(word) ? wordValues(context, word, command.name) : Promise.resolve([word]),
    ),
  );
  return found.flat();
}

/** The words of a usage line: both of `status ID`; none of `--template NAME|ID --data ROWS`, which are values of options. */
function wordsOfUsage(usage: string): string[] {
  const parts = usage.split(' ');
  return parts.filter(
    (part, index) =>
      /^[A-Za-z][A-Za-z|.]*$/.test(part) && parts[index - 1]?.startsWith('-') !== true,
  );
}

/** After `ID...` comes another one. */
function wordAt(way: readonly string[], index: number): string | undefined {
  const last = way.at(-1);
  return way[index] ?? (last?.endsWith('...') === true ? last : undefined);
}

/** `KIND`, `ID...`: a name for what stands there. */
function isName(word: string | undefined): boolean {
  return word !== undefined && /^[A-Z.|]+$/.test(word);
}
