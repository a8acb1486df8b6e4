import { parseArgs } from 'node:util';
import type { Command, Free } from './command.ts';
import { nearest } from '@millrace/api';
import { type Option, type Options, flag, text } from './option.ts';
import { UsageError } from './usage-error.ts';

/** The options of every command. */
export const GLOBAL_OPTIONS = {
  json: flag('Machine output: one JSON document per line.'),
  url: text('URL', 'The server; default: MILLRACE_URL, else one running here.'),
  quiet: flag('Only ids and names; no headings, notes or progress.', 'q'),
  help: flag('Shows the help of a command.', 'h'),
  version: flag('Shows the version.'),
} as const satisfies Options;

type Parsed = Readonly<Record<string, unknown>>;

/** Finds the command. Options of every command may come before it, its own only after it. */
export function findCommandName(argv: readonly string[]): {
  name: string | undefined;
  rest: readonly string[];
} {
  const word = tokensOf(argv, GLOBAL_OPTIONS).find((token) => token.kind === 'positional');
  if (word?.kind !== 'positional') return { name: undefined, rest: argv };
  return { name: word.value, rest: argv.toSpliced(word.index, 1) };
}

/** The words, without options and their values. */
export function wordsAmong(argv: readonly string[], options: Options): string[] {
  return tokensOf(argv, options).flatMap((token) =>
    token.kind === 'positional' ? token.value : [],
  );
}

/** The words and checked options of one command, the global ones among them. */
export function parseFor(
  command: Command | null,
  argv: readonly string[],
): { words: string[]; options: Parsed; free: Free } {
  const known: Options = { ...GLOBAL_OPTIONS, ...command?.options };
  const words: string[] = [];
  const options: Record<string, unknown> = {};
  // Without a prototype: an option may be called --constructor.
  const free: Record<string, (string | null)[]> = Object.create(null);
  const tokens = tokensOf(argv, known);
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.kind === 'positional') words.push(token.value);
    if (token?.kind !== 'option') continue;
    if (command?.open !== true || Object.hasOwn(known, token.name) || isShort(token)) {
      options[token.name] = valueOf(token, known);
      continue;
    }
    // Nobody knows yet whether it takes a value: the word behind it, if there is one, is it.
    const behind = token.index + 1;
    const word = token.value === undefined ? argv[behind] : undefined;
    const takesIt =
      word !== undefined && (NEGATIVE.test(word) || tokens[at + 1]?.kind === 'positional');
    (free[token.name] ??= []).push(token.value ?? (takesIt ? word : null));
    while (takesIt && tokens[at + 1]?.index === behind) at += 1;
  }
  const asksForHelp = options['help'] === true || options['version'] === true;
  if (command !== null && !asksForHelp) checkWords(command, words);
  return { words, options, free };
}

/** No option is a digit: `--least -5` has its value. */
const NEGATIVE = /^-(?:\d+\.?\d*|\.\d+)$/;

function isShort({ rawName }: OptionToken): boolean {
  return !rawName.startsWith('--');
}

interface OptionToken {
  readonly kind: 'option';
  readonly index: number;
  readonly name: string;
  /** As it was written: `--quiet`, `-q`. */
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

type Token =
  | OptionToken
  | { readonly kind: 'positional'; readonly index: number; readonly value: string }
  | { readonly kind: 'option-terminator'; readonly index: number };

/** Not strict: our own sentences are better, and they can say what was meant. */
function tokensOf(argv: readonly string[], options: Options): Token[] {
  const config = Object.entries(options).map(([name, option]) => [
    name,
    {
      type: option.value === null ? 'boolean' : 'string',
      ...(option.short !== undefined && { short: option.short }),
    },
  ]);
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(config) as Record<string, { type: 'boolean' | 'string' }>,
    strict: false,
    tokens: true,
  });
  return tokens;
}

function valueOf(token: OptionToken, known: Options): unknown {
  const { name, rawName, value, inlineValue } = token;
  const option: Option | undefined = Object.hasOwn(known, name) ? known[name] : undefined;
  if (option === undefined) throw new UsageError(unknown(rawName, known));
  if (option.value === null) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`);
    return option.parse('');
  }
  // `--kind --state` has swallowed an option; `--priority -5` has not.
  if (value === undefined || (inlineValue === false && value.startsWith('--'))) {
    throw new UsageError(`${rawName} needs a value: ${rawName} ${option.value}`);
  }
  try {
    return option.parse(value);
  } catch (thrown) {
    if (thrown instanceof UsageError) throw new UsageError(`${rawName} ${thrown.message}`);
    throw thrown;
  }
}

function unknown(rawName: string, known: Options): string {
  const meant = nearest(rawName.replace(/^-+/, ''), Object.keys(known));
  return `Unknown option ${rawName}${meant === null ? '.' : `: did you mean --${meant}?`}`;
}

function checkWords(command: Command, words: readonly string[]): void {
  const {
    name,
    usage,
    words: { least, most },
  } = command;
  const help = `See "millrace help ${name}".`;
  if (words.length < least) {
    const ways = usage.map((way) => `millrace ${name} ${way}`).join(', or ');
    throw new UsageError(`Missing argument: ${ways}. ${help}`);
  }
  const surplus = words[most];
  if (surplus !== undefined)
    throw new UsageError(`"millrace ${name}" does not take "${surplus}". ${help}`);
}
