// Private servers for tests and benchmarks: a free port, a temporary folder, nothing shared.
//
// Each server has a keeper process (keeper.mjs) that stops it and removes its folder when this
// process ends, however it ends. `remove()` does the same and waits for it.

import { execFileSync, fork } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  statfsSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { markOf, runMark } from './leftovers.mjs';

/** @typedef {Record<string, string | number>} Settings */
/** @typedef {import('./keeper.mjs').Answer} Answer */

/**
 * @typedef {object} Keeper
 * @property {string} folder
 * @property {(verb: 'run' | 'start' | 'stop' | 'port', details?: object) => Promise<Answer>} ask fails as the program does
 * @property {() => Promise<number>} port one that stays this server's, also while it is stopped
 * @property {() => Promise<void>} remove
 */

const DEBIAN_POSTGRES = '/usr/lib/postgresql';
const STOP_SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' };

/** For `ensurePackages`. */
export const debianPackages = {
  postgres: { name: 'postgresql', found: findPostgres },
  redis: { name: 'redis-server', found: findRedis },
  // Its promtool checks the alert rules.
  prometheus: { name: 'prometheus', found: () => findProgram('promtool') },
  office: {
    name: 'libreoffice-writer-nogui',
    why: 'LibreOffice turns documents into PDF',
    megabytes: 200,
    found: () =>
      findProgram('soffice') ||
      ['/usr/lib/libreoffice', '/usr/lib64/libreoffice'].some((folder) => existsSync(folder)),
  },
  // Each as wide as the font that it stands in for.
  fonts: fontPackage('fonts-liberation', 'truetype/liberation', 'for Arial, Times and Courier', 2),
  calibri: fontPackage(
    'fonts-crosextra-carlito',
    'truetype/crosextra/Carlito-Regular.ttf',
    'for Calibri',
    3,
  ),
  cambria: fontPackage(
    'fonts-crosextra-caladea',
    'truetype/crosextra/Caladea-Regular.ttf',
    'for Cambria',
    1,
  ),
  cjk: fontPackage(
    'fonts-noto-cjk',
    'opentype/noto/NotoSansCJK-Regular.ttc',
    'for Chinese, Japanese and Korean',
    90,
  ),
  // The type checker of Apex is a Java program.
  java: { name: 'openjdk-17-jre-headless', found: () => findProgram('java') },
  // Swift, whose s3api is an S3 server: the tests of files on object storage run on it.
  objectStorage: {
    name: 'python3-swift',
    found: () => existsSync('/usr/lib/python3/dist-packages/swift/common/middleware/s3api'),
  },
  // The console is tested in it.
  browser: { name: 'chromium', found: () => findProgram('chromium') },
  // pdftotext and pdftoppm look into what was made.
  pdf: { name: 'poppler-utils', found: () => findProgram('pdftotext') },
};

/** What documents need to look as in Word. */
export const fontPackages = [
  debianPackages.fonts,
  debianPackages.calibri,
  debianPackages.cambria,
  debianPackages.cjk,
];

/**
 * @param {string} name @param {string} file below the system's folder of fonts
 * @param {string} why @param {number} megabytes
 */
function fontPackage(name, file, why, megabytes) {
  return { name, why, megabytes, found: () => existsSync(join('/usr/share/fonts', file)) };
}

/**
 * A Postgres that can be stopped and started again on the same port and folder. Without settings it has its
 * own defaults, durability included, as a benchmark needs them; tests pass `{ fsync: 'off' }`.
 *
 * @param {{ settings?: Settings }} [options]
 */
export async function startPostgres({ settings = {} } = {}) {
  const bin = findPostgres();
  if (!bin) throw new Error('Postgres is not installed.');
  const keeper = await keep('postgres', postgresAccount(), 'SIGQUIT');
  const data = join(keeper.folder, 'data');
  const port = await keeper.port();
  const all = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: keeper.folder,
    max_connections: 200,
    ...settings,
  };
  const launch = {
    command: join(bin, 'postgres'),
    args: ['-D', data, ...Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`])],
  };

  const start = async () => void (await keeper.ask('start', launch));
  /** @param {'fast' | 'immediate'} [mode] fast ends the sessions in order, immediate is a crash */
  const stop = async (mode = 'fast') =>
    void (await keeper.ask('stop', { signal: STOP_SIGNALS[mode] }));

  await orRemove(keeper, async () => {
    // --no-sync leaves only the empty cluster unsynced; what is written later follows the settings.
    const options = '-U postgres --auth=trust -E UTF8 --locale=C.UTF-8 --no-sync -D'.split(' ');
    await keeper.ask('run', { command: join(bin, 'initdb'), args: [...options, data] });
    await start();
  });
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
  return { url, start, stop, remove: keeper.remove };
}

/**
 * A Redis that keeps nothing on disk. In a cluster it talks to the others on a second port, which would
 * otherwise be its own plus 10,000, whoever has that.
 *
 * @param {{ settings?: Settings }} [options]
 */
export async function startRedis({ settings = {} } = {}) {
  const command = findRedis();
  if (!command) throw new Error('Redis is not installed.');
  const keeper = await keep('redis', ownAccount(), 'SIGKILL');
  const port = await keeper.port();
  const busPort = await keeper.port();
  const all = {
    port,
    ...(settings['cluster-enabled'] === 'yes' && { 'cluster-port': busPort }),
    bind: '127.0.0.1',
    save: '',
    appendonly: 'no',
    dir: keeper.folder,
    ...settings,
  };
  const args = Object.entries(all).flatMap(([key, value]) => [`--${key}`, String(value)]);

  const start = async () => void (await keeper.ask('start', { command, args }));
  /** @param {'fast' | 'immediate'} [mode] fast ends in order, immediate is a crash */
  const stop = async (mode = 'fast') =>
    void (await keeper.ask('stop', { signal: mode === 'fast' ? 'SIGTERM' : 'SIGKILL' }));

  await orRemove(keeper, start);
  return { url: `redis://127.0.0.1:${port}`, busPort, start, stop, remove: keeper.remove };
}

/**
 * An S3-compatible server that keeps its objects in memory, without a bucket.
 */
export async function startObjectStorage() {
  const keeper = await keep('s3', ownAccount(), 'SIGKILL');
  const port = await keeper.port();
  const secretAccessKey = 'testing';
  const script = fileURLToPath(new URL('s3-server.py', import.meta.url));
  // Debian's own Python: another one on the PATH does not have its packages.
  const launch = {
    command: '/usr/bin/python3',
    args: ['-B', script, keeper.folder, String(port), 'tester', secretAccessKey],
  };
  await orRemove(keeper, () => keeper.ask('start', launch));
  return {
    url: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    accessKeyId: 'test:tester',
    secretAccessKey,
    remove: keeper.remove,
  };
}

/**
 * A temporary folder for programs that show their output here and run to their end. Both go away with
 * this process: a test runner would otherwise survive it.
 *
 * @param {{ cwd: string }} options
 */
export async function startRunner({ cwd }) {
  const keeper = await keep('run', ownAccount(), 'SIGTERM', 'inherit', placeOfRun());
  const temporary = join(keeper.folder, 'tmp');
  mkdirSync(temporary);
  chmodSync(temporary, 0o1777);
  const own = { ...markOf(keeper.folder), TMPDIR: temporary };

  /**
   * @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} [env]
   * @returns {Promise<{ success: boolean, left: import('./leftovers.mjs').Process[] }>} what it left running was ended
   */
  const run = async (command, args, env = process.env) => {
    const details = { command, args, cwd, env: { ...env, ...own }, stdio: 'inherit' };
    const { success = false, left = [] } = await keeper.ask('run', details).catch((error) => error);
    return { success, left };
  };
  return { folder: keeper.folder, temporary, run, remove: keeper.remove };
}

const MEMORY = '/dev/shm';
const TMPFS = 0x01021994; // its number in statfs(2)
/** A run of all tests has 1.5 GB at its most; the rest is for those who share the machine. */
const ROOM_BYTES = 6e9;

/**
 * Files of a run are in memory where there is room: tests make and drop databases a thousand times, and to clone
 * one takes a processor 16 ms there and 180 ms on an ext4. TMPDIR decides where it is set.
 */
function placeOfRun() {
  const { TMPDIR } = process.env;
  if (TMPDIR !== undefined || !existsSync(MEMORY)) return TMPDIR;
  const { type, bavail, bsize } = statfsSync(MEMORY);
  const room = Math.min(bavail * bsize, process.availableMemory());
  return type === TMPFS && room > ROOM_BYTES ? MEMORY : undefined;
}

/** The folder of the Postgres programs: PATH first, then the newest that Debian has. */
export function findPostgres() {
  const complete = (/** @type {string} */ bin) =>
    isProgram(join(bin, 'postgres')) && isProgram(join(bin, 'initdb'));
  const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES) : [];
  const debian = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN_POSTGRES, version, 'bin'));
  return [...searchPath(), ...debian].find(complete);
}

export function findRedis() {
  return findProgram('redis-server');
}

/** @param {string} name */
export function findProgram(name) {
  return searchPath()
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function searchPath() {
  return (process.env['PATH'] ?? '').split(delimiter);
}

/** @param {string} file */
function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function ownAccount() {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

/** Postgres refuses to run as root, so root lends it the account that its Debian package makes. */
function postgresAccount() {
  const own = ownAccount();
  if (own.uid !== 0) return own;
  const id = (/** @type {string} */ flag) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/**
 * @param {string} name
 * @param {{ uid: number, gid: number }} account
 * @param {NodeJS.Signals} endSignal
 * @param {'ignore' | 'inherit'} [output]
 * @param {string} [place] of its folder
 * @returns {Promise<Keeper>}
 */
async function keep(
  name,
  { uid, gid },
  endSignal,
  output = 'ignore',
  place = process.env['TMPDIR'],
) {
  const file = fileURLToPath(new URL('keeper.mjs', import.meta.url));
  const keeper = fork(file, [name, String(uid), String(gid), endSignal], {
    detached: true, // a session of its own, so that Ctrl-C reaches the owner alone
    execArgv: [],
    env: { PATH: process.env['PATH'], TMPDIR: place, ...runMark() },
    stdio: ['ignore', output, output, 'ipc'],
  });
  const exited = new Promise((resolve) => keeper.once('exit', resolve));

  // The keeper answers in the order it was asked. The channel holds this process only while an
  // answer is awaited, so that an owner which forgets to call `remove` can end.
  /** @type {{ resolve: (answer: any) => void, reject: (error: Error) => void }[]} */
  const waiting = [];
  const answer = () =>
    new Promise((resolve, reject) => {
      keeper.channel?.ref();
      waiting.push({ resolve, reject });
    });
  keeper.on('message', (/** @type {Answer} */ message) => {
    const first = waiting.shift();
    if (waiting.length === 0) keeper.channel?.unref();
    if (message.error === undefined) first?.resolve(message);
    else first?.reject(Object.assign(new Error(message.error), { left: message.left }));
  });
  keeper.once('disconnect', () => {
    for (const { reject } of waiting) reject(new Error(`The keeper of ${name} has ended.`));
  });

  keeper.unref();
  const { folder } = await answer();

  /** @type {Keeper['ask']} */
  const ask = (verb, details) => {
    if (!keeper.connected) throw new Error(`The ${name} server was removed.`);
    keeper.send({ verb, ...details });
    return answer();
  };
  return {
    folder,
    ask,
    async port() {
      const { port } = await ask('port');
      if (port === undefined) throw new Error(`The keeper of ${name} has no port.`);
      return port;
    },
    async remove() {
      keeper.ref();
      if (keeper.connected) keeper.send({ verb: 'end' });
      await exited;
    },
  };
}

/**
 * @template T
 * @param {{ remove: () => Promise<void> }} resource
 * @param {() => Promise<T>} work
 */
async function orRemove(resource, work) {
  try {
    return await work();
  } catch (error) {
    await resource.remove();
    throw error;
  }
}
