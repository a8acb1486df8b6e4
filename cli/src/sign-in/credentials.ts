import { isAbsolute, join } from 'node:path';
import type { World } from '../world.ts';
import { serverKey } from './address.ts';
import type { Grant } from './issuer.ts';
import { SignInError } from './sign-in-error.ts';

/** One sign-in of a person, as it is kept between runs. */
export interface SignedIn extends Grant {
  readonly issuer: string;
  readonly clientId: string;
}

/** The sign-ins saved by `millrace login`, by server. */
export interface Credentials {
  readonly path: string;
  find(server: string): Promise<SignedIn | null>;
  /**
   * One process at a time: `change` sees what is kept by now, and gives what is to be kept (null: nothing).
   * Several runs at once would else spend the same refresh token, which issuers take for a theft.
   */
  update(
    server: string,
    change: (kept: SignedIn | null) => Promise<SignedIn | null>,
  ): Promise<SignedIn | null>;
}

type Kept = ReadonlyMap<string, SignedIn>;

const LOCK_PAUSE_MS = 50;

/** A file that cannot be used is reported by `warn`, and counts as empty. */
export function createCredentials(world: World, warn: (sentence: string) => void): Credentials {
  const path = credentialsPath(world);

  async function load(): Promise<Kept> {
    try {
      const text = await world.files.read(path);
      return text === null ? new Map() : parse(text);
    } catch (thrown) {
      warn(`No sign-in is used: ${wordsOf(thrown, path)} "millrace login" writes a new one.`);
      return new Map();
    }
  }

  return {
    path,
    async find(server) {
      return (await load()).get(serverKey(server)) ?? null;
    },
    async update(server, change) {
      const release = await takeLock(world, path);
      try {
        const kept = await load();
        const key = serverKey(server);
        const before = kept.get(key) ?? null;
        const after = await change(before);
        if (after !== before) await save(world, path, replaced(kept, key, after));
        return after;
      } finally {
        await release();
      }
    },
  };
}

/** As freedesktop.org's base directories have it; a relative one is to be ignored. */
function credentialsPath({ env, home }: World): string {
  const given = env['XDG_CONFIG_HOME'] ?? '';
  const folder = isAbsolute(given) ? given : join(home, '.config');
  return join(folder, 'millrace', 'credentials.json');
}

async function takeLock(world: World, path: string): Promise<() => Promise<void>> {
  for (;;) {
    const release = await keeping(path, world.files.lock(path));
    if (release !== null) return release;
    await world.wait(LOCK_PAUSE_MS);
  }
}

function replaced(kept: Kept, key: string, entry: SignedIn | null): Kept {
  const others = [...kept].filter(([name]) => name !== key);
  return new Map(entry === null ? others : [...others, [key, entry]]);
}

async function save({ files }: World, path: string, kept: Kept): Promise<void> {
  const entries = [...kept].map(([server, { expiresAt, ...rest }]) => [
    server,
    { ...rest, expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString() },
  ]);
  const text = JSON.stringify(Object.fromEntries(entries), null, 2);
  await keeping(path, files.write(path, `${text}\n`));
}

async function keeping<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw new SignInError('kept', `The sign-in cannot be saved: ${wordsOf(thrown, path)}`);
  }
}

/** Drops the message of JSON.parse, which would quote the file. */
function wordsOf(thrown: unknown, path: string): string {
  if (thrown instanceof Error && thrown.name === 'UnsafeFileError') return thrown.message;
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  if (code !== '') return `${path} cannot be used (${code}).`;
  return `${path} has an unknown format.`;
}

function parse(text: string): Kept {
  const all = JSON.parse(text) as unknown;
  if (!isObject(all)) throw new SyntaxError('not an object');
  return new Map(Object.entries(all).map(([server, entry]) => [server, parseEntry(entry)]));
}

function parseEntry(entry: unknown): SignedIn {
  if (!isObject(entry)) throw new SyntaxError('not an object');
  const { issuer, clientId, accessToken, refreshToken, expiresAt } = entry;
  const end = typeof expiresAt === 'string' ? Date.parse(expiresAt) : null;
  if (
    typeof issuer !== 'string' ||
    typeof clientId !== 'string' ||
    typeof accessToken !== 'string' ||
    (typeof refreshToken !== 'string' && refreshToken !== null) ||
    Number.isNaN(end)
  ) {
    throw new SyntaxError('not a sign-in');
  }
  return { issuer, clientId, accessToken, refreshToken, expiresAt: end };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
