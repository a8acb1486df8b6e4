import type { Client, RouteName } from '@millrace/api';
import type { z } from 'zod';
import type { Folder } from './folder.ts';

/**
 * A tool as data and one function: the protocol, the documentation and its test read the same table. A tool is thin: it
 * calls routes with the caller's own token, so who may do what is decided by the server alone.
 */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** A model decides by it which tool it takes, and pays for each word. */
  readonly about: string;
  /** The routes it calls. The tool needs the role of the first. */
  readonly routes: readonly [RouteName, ...RouteName[]];
  /** For `destroys`, `run` first returns what would happen, and the call needs `confirm`. */
  readonly effect: 'reads' | 'adds' | 'destroys';
  /** Made of the contracts of its routes. */
  readonly input: Input;
  // A method, so that a Tool<Input> passes where any tool is wanted.
  run(call: Call, input: z.output<Input>): Promise<Answer | Foresight>;
}

/** All that a tool may touch. */
export interface Call {
  /** Asks as the caller. */
  readonly client: Client;
  /** For every call of the client: ends with the call of the tool. */
  readonly options: { readonly signal: AbortSignal };
  /** The address of the server. */
  readonly url: string;
  /** Where files may be saved; null where the caller is not on this machine. */
  readonly folder: Folder | null;
  pause(ms: number): Promise<void>;
}

export interface Answer {
  readonly type: 'answer';
  /** For the model, in as few words as do. */
  readonly lines: readonly string[];
  /** The same for programs. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Somebody else has written texts of it: jobs, rows, users, other systems. */
  readonly foreign: boolean;
  /** The requested run failed. */
  readonly failed: boolean;
  readonly links: readonly Link[];
}

export interface Link {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
  readonly description: string;
}

/** The preview of a call that needs a confirmation: nothing has been done yet. */
export interface Foresight {
  readonly type: 'foresight';
  /** To be answered with yes or no. */
  readonly question: string;
  readonly lines: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
  readonly foreign: boolean;
  /** Performs the confirmed call. Refuses if the target has changed. */
  act(call: Call): Promise<Answer>;
}

/** Only gives `run` the type of its own input. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool<Input> {
  return tool;
}

export function answer(
  lines: readonly string[],
  data: Answer['data'],
  more: {
    readonly foreign?: boolean;
    readonly failed?: boolean;
    readonly links?: readonly Link[];
  } = {},
): Answer {
  const { foreign = false, failed = false, links = [] } = more;
  return { type: 'answer', lines, data, foreign, failed, links };
}
