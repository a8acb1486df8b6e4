import { EXIT, type ExitCode } from './line/exit.ts';

/** A program of the server refused; its message is all that the reader needs. */
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
  const advice =
    'The server is not installed. In a clone of the repository: npm run build. Elsewhere: npm install @millrace/server.';
  return new ProgramError('not_built', EXIT.defect, advice);
}
