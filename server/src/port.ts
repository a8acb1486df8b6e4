import { createServer } from 'node:net';
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
    throw cannotListen(error, host, port);
  }
  await new Promise((resolve) => probe.close(resolve));
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
