import type { Readable } from 'node:stream';
import type { PrivateFiles } from './connection/private-files.ts';
import type { ExitCode } from './line/exit.ts';
import type { Environment, Stream } from './terminal/screen.ts';

/** By the folder of the server that it is in. */
export type ServerProgram = 'doctor' | 'schema' | 'move' | 'import';

/** All that a command gets from its process: tests bring their own. */
export interface World {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: Environment;
  readonly fetch: typeof globalThis.fetch;
  /** Where sign-ins are kept. */
  readonly files: PrivateFiles;
  /** The folder of this user. */
  readonly home: string;
  /** Where the command was typed. */
  readonly folder: string;
  /** Whether a process has this number. */
  processLives(pid: number): boolean;
  /** Shows a page to the person here; null where there is no screen for it. */
  readonly openBrowser: ((address: string) => void) | null;
  /** Milliseconds since 1970. */
  now(): number;
  /** Ends early, by throwing, when interrupted. */
  wait(ms: number): Promise<void>;
  /** Aborted by Ctrl-C. */
  readonly interrupted: AbortSignal;
  /** Opens a text in the editor of this user, and gives it as it was left. */
  edit(text: string): Promise<string>;
  /** Runs the server until it ends; null where it is not built. */
  runServer(): Promise<ExitCode> | null;
  /** The output of a program of the server, line by line; null if it is not built. */
  serverLines(program: ServerProgram, args: readonly string[]): AsyncIterable<string> | null;
}
