import { join, relative, sep } from 'node:path';
import { type RunningServer, createClient, runningFolder, runningServer } from '@millrace/api';
import type { World } from '../world.ts';
import { atMost } from './limits.ts';
import { UnsafeFileError } from './private-files.ts';

/** Where a server is when nobody says otherwise. */
export const DEFAULT_URL = 'http://127.0.0.1:3000';

/** One on this machine answers at once, or is busy, stopped by a debugger, or short of memory. */
const ANSWER_WITHIN_MS = 2_000;
/** More, for the only one there is. */
const WAIT_FOR_MS = 8_000;

/** A process of this user that does not answer: another one is never asked in its place. */
export class SilentServer extends Error {
  override readonly name = 'SilentServer';
}

interface Place {
  readonly world: World;
  warn(sentence: string): void;
  note(sentence: string): void;
}

export interface Found {
  readonly url: string;
  readonly running: RunningServer | null;
  /** Before the first request: says which of several is asked, waits for one that is slow to answer. Throws a SilentServer. */
  ready(): Promise<void>;
}

/**
 * The server to ask: the one that is named, else one of this user that runs here. With several, the one that was started in
 * this folder (or above it), else the newest. Where several could be meant, it is said which one is.
 */
export async function findServer(place: Place, named: string | null): Promise<Found> {
  const all = await runningServers(place);
  const ready = (): Promise<void> => Promise.resolve();
  if (named !== null) return { url: named, running: all.find(isAt(named)) ?? null, ready };
  const looks = all.map(async (server) => ({
    server,
    look: await lookAt(place.world, server, ANSWER_WITHIN_MS),
  }));
  const live = (await Promise.all(looks)).filter(({ look }) => look !== 'another');
  const servers = live.map(({ server }) => server);
  const [newest] = servers;
  if (newest === undefined) return { url: DEFAULT_URL, running: null, ready };
  const here = nearestAbove(servers, place.world.folder);
  const [chosen = newest] = here;
  const found = { url: chosen.url, running: chosen };
  if (live.find(({ server }) => server === chosen)?.look === 'silent') {
    const others = servers.filter((server) => server !== chosen);
    return { ...found, ready: once(() => waitFor(place, chosen, others)) };
  }
  const meant = here.length === 0 ? servers : here;
  if (meant.length === 1) return { ...found, ready };
  // Not yet: what reads files here, or shows help, asks nobody.
  const say = async () =>
    place.note(`Using ${chosen.url}, the newest of ${meant.length} servers running here.`);
  return { ...found, ready: once(say) };
}

/** Whichever is asked instead would answer about other jobs: where there are several, somebody has to say which. */
async function waitFor(
  { world, note }: Place,
  chosen: RunningServer,
  others: readonly RunningServer[],
): Promise<void> {
  const who = `The server at ${chosen.url} (process ${chosen.pid})`;
  const [other] = others;
  if (other !== undefined) {
    throw new SilentServer(
      `${who} does not answer, and there ${others.length === 1 ? 'is' : 'are'} ${others.length} more running. Choose one with --url or MILLRACE_URL, such as --url ${other.url}, or end that process.`,
    );
  }
  note(`Waiting for ${chosen.url} (process ${chosen.pid}), which is slow to answer.`);
  const look = await lookAt(world, chosen, WAIT_FOR_MS);
  if (look === 'answers') return;
  const seconds = (ANSWER_WITHIN_MS + WAIT_FOR_MS) / 1_000;
  throw new SilentServer(
    look === 'silent'
      ? `${who} has not answered for ${seconds} s. Check its log, end that process, or choose another server with --url or MILLRACE_URL.`
      : `${who} has stopped. Start one with "npm start" or "millrace start".`,
  );
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | null = null;
  return () => (done ??= work());
}

/** The entries of this user's running servers, newest first. */
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
      warn(`${why} A starting server writes a new one.`);
    }
  }
  return found
    .filter(({ pid }) => world.processLives(pid))
    .toSorted((a, b) => b.startedAt - a.startedAt);
}

/** Another process may have the number, or the port, of one that was killed: it has another issuer, or does not listen. */
async function lookAt(
  world: World,
  { url, client }: RunningServer,
  ms: number,
): Promise<'answers' | 'silent' | 'another'> {
  const signal = atMost(ms, world.interrupted);
  try {
    const server = createClient({
      baseUrl: url,
      fetch: (input, init) => world.fetch(input, { ...init, redirect: 'error' }),
    });
    const { issuer } = await server.signIn({}, { signal });
    return client === null || issuer === client.issuer ? 'answers' : 'another';
  } catch (thrown) {
    return thrown instanceof Error && thrown.name === 'TimeoutError' ? 'silent' : 'another';
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
