import { EXIT, type ExitCode } from './line/exit.ts';

/** What a program of the server was asked to do, it did not do: its words are all that the reader needs. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
  readonly code: string;
  readonly exitCode: ExitCode;
  constructor(code: string, exitCode: ExitCode, message: string) {
    super(message);
    this.code = code;
    this.exitCode = exitCode;
  }
}

export function notBuilt(): ProgramError {
  const advice = 'The server is not built here: run "npm run build" in the project folder first.';
  return new ProgramError('not_built', EXIT.defect, advice);
}
