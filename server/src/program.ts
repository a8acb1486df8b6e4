import { StoreUnavailable } from '@millrace/engine';
import { SchemaRefused } from '@millrace/store-postgres';
import { ConfigError } from './config/error.ts';
import { createMask } from './log/mask.ts';

/** How the command line ends, by the names of its exit codes. */
type Exit = 'failed' | 'usage' | 'notFound' | 'refused' | 'unreachable';

/** Why a program that the command line runs did not do what it was asked to, in words that are all its reader needs. */
export class ProgramRefused extends Error {
  override readonly name = 'ProgramRefused';
  readonly code: string;
  readonly exit: Exit;
  constructor(code: string, exit: Exit, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.exit = exit;
  }
}

/**
 * A program of its own that `millrace` runs: one thing per line, as JSON, as soon as it is known. `secrets` is asked at the end,
 * when the settings have been read.
 */
export async function reportInLines(
  work: (tell: (thing: object) => void) => Promise<void>,
  secrets: () => readonly string[],
): Promise<never> {
  // Whoever reads may have seen enough (`millrace migrate | head -2`); what was begun is still done.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const tell = (thing: object): void =>
    void process.stdout.write(`${createMask(secrets())(JSON.stringify(thing))}\n`);
  try {
    await work(tell);
  } catch (error) {
    const { code, exit, message: detail } = refusalOf(error);
    tell({ type: 'problem', code, exit, detail });
  }
  // A line to somewhere that hangs keeps nobody; what was written has to have left.
  return new Promise(() => process.stdout.write('', () => process.exit(0)));
}

/** Rethrows other errors: they are bugs, whose stack is needed. */
function refusalOf(error: unknown): ProgramRefused {
  if (error instanceof ProgramRefused) return error;
  if (error instanceof ConfigError)
    return new ProgramRefused('settings_wrong', 'usage', error.problems.join('\n'));
  if (error instanceof SchemaRefused)
    return new ProgramRefused(error.code, 'refused', error.message);
  if (error instanceof StoreUnavailable)
    return new ProgramRefused('database_unreachable', 'unreachable', error.message);
  throw error;
}
