import { resolve } from 'node:path';
import type { World } from '../context.ts';
import { UnsafeFileError } from '../private-files.ts';
import { parseAddress } from './address.ts';

/** What the sandbox lets programs of its owner in with. */
export interface LocalClient {
  readonly url: string;
  readonly issuer: string;
  readonly scope: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The client that `npm start` has written beside its data, where it is for this server; else null. */
export async function findLocalClient(
  world: World,
  server: string,
  warn: (sentence: string) => void,
): Promise<LocalClient | null> {
  const path = resolve(world.env['MILLRACE_DATA'] || '.millrace', 'client.json');
  try {
    const text = await world.files.read(path);
    const client = text === null ? null : parse(text);
    return client !== null && isFor(client, server) ? client : null;
  } catch (thrown) {
    const why = thrown instanceof UnsafeFileError ? thrown.message : `${path} cannot be used.`;
    warn(`${why} "npm start" writes it anew.`);
    return null;
  }
}

function isFor({ url }: LocalClient, server: string): boolean {
  return parseAddress(url)?.origin === new URL(server).origin;
}

function parse(text: string): LocalClient {
  const { url, issuer, scope, clientId, clientSecret } = (JSON.parse(text) ?? {}) as Readonly<
    Record<string, unknown>
  >;
  if (
    typeof url !== 'string' ||
    typeof issuer !== 'string' ||
    typeof scope !== 'string' ||
    typeof clientId !== 'string' ||
    typeof clientSecret !== 'string'
  ) {
    throw new SyntaxError('not a client');
  }
  return { url, issuer, scope, clientId, clientSecret };
}
