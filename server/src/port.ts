import { createServer } from 'node:net';
import { contracts } from '@millrace/api';
import { withinTime } from '@millrace/workload-kit';
import type { z } from 'zod';
import type { Config } from './config/config.ts';
import { StartError } from './start-error.ts';

/**
 * A port that is taken is noticed before the database, LibreOffice and the sandbox are started: those take seconds, and the
 * embedded database of a second process in the same folder would be the first to complain.
 */
export async function requireFreePort({
  host,
  port,
}: Pick<Config, 'host' | 'port'>): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen({ host, port }, resolve);
    });
  } catch (error) {
    // Other programs answer /healthz in the same words.
    const ready = await answerAt(`http://${host}:${port}/readyz`, contracts.readyz.response);
    if (ready === null) throw cannotListen(error, host, port);
    throw new StartError(
      `Millrace already runs at http://${host}:${port}. Use that one, stop it, or start another beside it with PORT=0 and MILLRACE_DATA set to another folder.`,
    );
  }
  await new Promise((resolve) => probe.close(resolve));
}

const ANSWER_WITHIN_MS = 2_000;

/** Null: what answers there, if anything, is no Millrace. */
export async function answerAt<Answer extends z.ZodType>(
  url: string,
  answer: Answer,
): Promise<z.output<Answer> | null> {
  try {
    return await withinTime(ANSWER_WITHIN_MS, undefined, async (signal) =>
      answer.parse(await (await fetch(url, { signal })).json()),
    );
  } catch {
    return null;
  }
}

export function cannotListen(error: unknown, host: string, port: number): StartError {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'EADDRINUSE')
    return new StartError(
      `Port ${port} on ${host} is taken. Stop what listens there, or set PORT to another (0 takes a free one).`,
    );
  return new StartError(`Cannot listen on ${host}, port ${port}: ${String(error)}`, {
    cause: error,
  });
}
