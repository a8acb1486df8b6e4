import type { FastifyInstance } from 'fastify';
import { addressOf } from '../address.ts';
import type { Config } from '../config/config.ts';
import { StartError } from '../start-error.ts';

/** For requests under way, once the jobs have ended. */
const CLOSE_WITHIN_MS = 3_000;

export async function listen(
  app: FastifyInstance,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Promise<string> {
  try {
    await app.listen({ host, port });
    return addressOf(app.server);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EADDRINUSE') {
      throw new StartError(
        `Port ${port} on ${host} is taken. Stop what listens there, or set PORT to another (0 takes a free one).`,
      );
    }
    throw new StartError(`Cannot listen on ${host}, port ${port}: ${String(error)}`, {
      cause: error,
    });
  }
}

/** A connection on which nothing was ever asked counts as busy, and would keep the process for good. */
export async function closeApp(app: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_WITHIN_MS);
  await app.close();
  clearTimeout(timer);
}
