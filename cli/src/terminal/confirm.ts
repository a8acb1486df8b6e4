import { createInterface } from 'node:readline';
import type { Context } from '../context.ts';
import { UsageError } from '../line/usage-error.ts';

/** Where nobody can answer a question, --yes has to say it beforehand. */
export function requirePerson({ world, err }: Context): void {
  if (world.stdin.isTTY === true && err.isTerminal) return;
  throw new UsageError('No terminal to confirm in; pass --yes.');
}

/** Asks before many jobs are changed. Anything but a clear yes is a no. */
export async function confirm({ world, err }: Context, question: string): Promise<boolean> {
  err.write(`${question} [y/N] `);
  const answer = await firstLine(world.stdin, world.interrupted);
  if (answer === null) err.line(''); // the cursor still stands behind the question
  if (world.interrupted.aborted) throw world.interrupted.reason;
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}

/** Null when the terminal was closed (Ctrl-D) or we were interrupted. */
async function firstLine(
  input: NodeJS.ReadableStream,
  signal: AbortSignal,
): Promise<string | null> {
  const lines = createInterface({ input, signal });
  try {
    for await (const line of lines) return line;
    return null;
  } finally {
    lines.close();
  }
}
