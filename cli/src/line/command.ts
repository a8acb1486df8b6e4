import type { Context } from '../context.ts';
import type { ExitCode } from './exit.ts';
import { nearest } from '@millrace/api';
import type { Options, Values } from './option.ts';
import { UsageError } from './usage-error.ts';

/** A command as data and one function: dispatch, help and documentation come from the same table. */
export interface Command<O extends Options = Options> {
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** Usage after the name, such as `ID...`; one line per form. */
  readonly usage: readonly string[];
  /** How many words may follow the name. */
  readonly words: { readonly least: number; readonly most: number };
  readonly options: O;
  /** It takes options that only the server knows, such as the parameters of a report: they are `free` of what it is given. */
  readonly open?: true;
  /** The options of an open command that can be completed after these words, with their possible values. */
  freeOptions?(context: Context, words: readonly string[]): Promise<FreeOptions>;
  readonly examples: readonly string[];
  // A method, so that a Command<O> passes where any command is wanted.
  run(context: Context, args: Args<O>): Promise<ExitCode>;
}

export interface Args<O extends Options = Options> {
  readonly words: readonly string[];
  readonly options: Values<O>;
  /** The options of an open command, each as often as it was given; null without a value, which differs from an empty one. */
  readonly free: Free;
}

export type Free = Readonly<Record<string, readonly (string | null)[]>>;
export type FreeOptions = Readonly<Record<string, readonly string[]>>;

/** Only gives `run` the types of its own options. */
export function defineCommand<O extends Options>(command: Command<O>): Command<O> {
  return command;
}

export function findCommand(commands: readonly Command[], name: string): Command {
  const found = commands.find((command) => command.name === name);
  if (found !== undefined) return found;
  const meant = nearest(
    name,
    commands.map((command) => command.name),
  );
  const hint = meant === null ? 'See "millrace help".' : `Did you mean "millrace ${meant}"?`;
  throw new UsageError(`Unknown command "${name}". ${hint}`);
}
