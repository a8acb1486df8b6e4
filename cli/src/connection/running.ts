import { join, relative, sep } from 'node:path';
import { type RunningServer, createClient, runningFolder, runningServer } from '@millrace/api';
import type { World } from '../world.ts';
import { UnsafeFileError } from './private-files.ts';

/** Where a server is when nobody says otherwise. */
export const DEFAULT_URL = 'http://127.0.0.1:3000';

/** One on this machine answers at once, or is no longer there. */
const ANSWER_WITHIN_MS = 2_000;

interface Place {
  readonly world: World;
  warn(sentence: string): void;
  note(sentence: string): void;
}

/**
 * The server to ask: the one that is named, else one of this user that runs here. With several, the one that was started in
 * this folder (or above it), else the newest. Where several could be meant, it is said which one is.
 */
export async function findServer(
  place: Place,
  named: string | null,
): Promise<{ url: string; running: RunningServer | null }> {
  const all = await runningServers(place);
  if (named !== null) return { url: named, running: all.find(isAt(named)) ?? null };
  const answering: RunningServer[] = [];
  for (const each of all) if (await answers(place.world, each)) answering.push(each);
  const [newest] = answering;
  if (newest === undefined) return { url: DEFAULT_URL, running: null };
  const here = nearestAbove(answering, place.world.folder);
  const [chosen = newest] = here;
  const meant = here.length === 0 ? answering : here;
  if (meant.length > 1)
    place.note(`Asking ${chosen.url}, the newest of ${meant.length} that run here.`);
  return { url: chosen.url, running: chosen };
}

/** What this user's servers have told, the newest first; of processes that are gone, nothing. */
async function runningServers({ world, warn }: Place): Promise<RunningServer[]> {
  const folder = runningFolder(world.env, world.home);
  const found: RunningServer[] = [];
  for (const name of await world.files.list(folder)) {
    if (!name.endsWith('.json')) continue;
    const path = join(folder, name);
    try {
      const text = await world.files.read(path);
      if (text !== null) found.push(runningServer.parse(JSON.parse(text)));
    } catch (thrown) {
      const why = thrown instanceof UnsafeFileError ? thrown.message : `${path} cannot be used.`;
      warn(`${why} A server that starts writes its own.`);
    }
  }
  return found
    .filter(({ pid }) => world.processLives(pid))
    .toSorted((a, b) => b.startedAt - a.startedAt);
}

/** Another process may have the number, or the port, of one that was killed: it has another issuer. */
async function answers(world: World, { url, client }: RunningServer): Promise<boolean> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ANSWER_WITHIN_MS);
  const signal = AbortSignal.any([late.signal, world.interrupted]);
  try {
    const server = createClient({
      baseUrl: url,
      fetch: (input, init) => world.fetch(input, { ...init, redirect: 'error' }),
    });
    const { issuer } = await server.signIn({}, { signal });
    return client === null || issuer === client.issuer;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

function isAt(address: string): (server: RunningServer) => boolean {
  const { origin } = new URL(address);
  return ({ url }) => URL.canParse(url) && new URL(url).origin === origin;
}

/** Those whose folder this is, or lies in; of several such folders, those of the nearest. The newest first, as given. */
function nearestAbove(servers: readonly RunningServer[], folder: string): RunningServer[] {
  const above = servers.filter((server) => {
    const way = relative(server.folder, folder);
    return way !== '..' && !way.startsWith(`..${sep}`);
  });
  const nearest = Math.max(...above.map((server) => server.folder.length));
  return above.filter((server) => server.folder.length === nearest);
}
