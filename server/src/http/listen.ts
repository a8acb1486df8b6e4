import type { FastifyInstance } from 'fastify';
import { addressOf } from '../address.ts';
import type { Config } from '../config/config.ts';
import { cannotListen } from '../port.ts';
import type { Door } from './door.ts';

/** For requests under way, once the jobs have ended. */
const CLOSE_WITHIN_MS = 3_000;

/** Connections that wait to be accepted. With Node's 511, a health check in a burst of 800 was asked to try again, and did so for 40 s. */
const BACKLOG = 4_096;

export async function listen(
  app: FastifyInstance,
  { host, port }: Pick<Config, 'host' | 'port'>,
  door: Door | null = null,
): Promise<string> {
  if (door !== null) {
    await app.ready();
    return door.lead(app.server, { host, port });
  }
  try {
    await app.listen({ host, port, backlog: BACKLOG });
    return addressOf(app.server);
  } catch (error) {
    throw cannotListen(error, host, port);
  }
}

/** A connection on which nothing was ever asked counts as busy, and would keep the process for good. */
export async function closeApp(app: FastifyInstance, door: Door | null = null): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_WITHIN_MS);
  await door?.hold(); // whoever has come in is answered, before the routes are closed
  await app.close();
  clearTimeout(timer);
}
