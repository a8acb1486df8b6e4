// What the other scripts need before they can run. It imports no package, so Node alone is enough.
// Each step does nothing when there is nothing to do.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  readFileSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const OLDEST_NODE = [20, 19];

/** A problem whose message is all that its reader needs: printed without a stack. */
export class SetupError extends Error {}

/** Runs a script's main function. @param {() => Promise<void>} main */
export async function script(main) {
  try {
    ensureNode();
    endWithShell();
    await main();
  } catch (error) {
    console.error(error instanceof SetupError || isUsage(error) ? error.message : error);
    process.exitCode = 1;
  }
}

/** What `parseArgs` says of a word that is no option. @param {unknown} error @returns {error is Error} */
function isUsage(error) {
  return (
    error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  );
}

const LOOK_EVERY_MS = 200;

/**
 * npm starts a shell, which starts this process. Ctrl-C reaches all three; a signal for npm alone ends npm and the shell, and this
 * process would stay behind. So it takes the end of the shell for the signal. (`exec` in front of the script would do without a
 * shell; `cmd.exe` does not know it.)
 */
function endWithShell() {
  if (process.env['npm_lifecycle_event'] === undefined || process.platform === 'win32') return;
  const shell = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(look);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_EVERY_MS).unref();
}

export function ensureNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new SetupError(
    `Millrace needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}.`,
  );
}

/** Installs the packages of a lock file, once per content of that file, and not where another content asks for the same packages. */
export async function ensureModules(folder = root) {
  const { stamp, wanted } = modulesOf(folder);
  if (hasModules(folder)) return;
  if (hasSamePackages(folder)) return writeFileSync(stamp, wanted);
  console.log('Installing packages (npm ci) …');
  // --include=dev: NODE_ENV=production would leave out the compiler. No package needs its install script
  // (scripts/install-scripts.test.ts), and one that was tampered with would do its harm there.
  const args = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  const done = showProgress(folder);
  try {
    await quietly(...npm(args), { cwd: folder });
  } finally {
    done();
  }
  writeFileSync(stamp, wanted);
}

/**
 * Whether what npm installed last, and noted in a lock file of its own, is what the lock file asks for: a workspace that names
 * its packages otherwise, as an optional one, changes the file and nothing that is installed.
 *
 * @param {string} folder
 */
export function hasSamePackages(folder) {
  const noted = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(noted)) return false;
  const wanted = packagesIn(join(folder, 'package-lock.json'));
  const there = packagesIn(noted);
  const isThere = (/** @type {string} */ path) =>
    sourceOf(there[path]) === sourceOf(wanted[path]) &&
    existsSync(join(folder, path, 'package.json'));
  return (
    Object.keys(there).every((path) => path in wanted) &&
    Object.entries(wanted).every(
      ([path, { optional }]) => isThere(path) || (optional === true && !(path in there)),
    )
  );
}

/**
 * @typedef {{ version?: string, integrity?: string, resolved?: string, link?: boolean, optional?: boolean }} Locked
 * @param {string} file @returns {Record<string, Locked>} those that stand in node_modules, by their path
 */
function packagesIn(file) {
  const { packages } = JSON.parse(readFileSync(file, 'utf8'));
  return Object.fromEntries(
    Object.entries(packages).filter(([path]) => path.includes('node_modules/')),
  );
}

/** @param {Locked | undefined} locked */
function sourceOf({ version, integrity, resolved, link } = {}) {
  return link === true ? resolved : `${version} ${integrity}`;
}

const SHOW_EVERY_MS = { terminal: 1_000, elsewhere: 15_000 };

/**
 * Says while npm works, which shows nothing of its own in a pipe, how many packages are there. Gives what ends that.
 *
 * @param {string} folder
 */
function showProgress(folder) {
  const isTerminal = process.stdout.isTTY;
  const began = Date.now();
  const show = () => {
    const { there, all } = installed(folder);
    const line = `  ${there} of ${all} packages, ${Math.round((Date.now() - began) / 1_000)} s`;
    process.stdout.write(isTerminal ? `\r${line}` : `${line}\n`);
  };
  const timer = setInterval(show, SHOW_EVERY_MS[isTerminal ? 'terminal' : 'elsewhere']);
  return () => {
    clearInterval(timer);
    if (isTerminal) process.stdout.write('\r\u001B[K');
  };
}

/**
 * Packages of the lock file for this platform, and those of them that are in place: the folder of each is made at the beginning, its
 * package.json when it is unpacked.
 *
 * @param {string} folder
 */
export function installed(folder) {
  // Optional ones are mostly for other platforms.
  const wanted = Object.entries(packagesIn(join(folder, 'package-lock.json'))).filter(
    ([, { link, optional }]) => !link && !optional,
  );
  const there = wanted.filter(([path]) => existsSync(join(folder, path, 'package.json')));
  return { there: there.length, all: wanted.length };
}

/** @param {string} [folder] */
export function hasModules(folder = root) {
  const { stamp, wanted } = modulesOf(folder);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
}

/** @param {string} folder */
function modulesOf(folder) {
  const lock = readFileSync(join(folder, 'package-lock.json'));
  const wanted = createHash('sha256').update(lock).digest('hex');
  return { stamp: join(folder, 'node_modules', '.millrace-stamp'), wanted };
}

/** Whether missing Debian packages are installed here; elsewhere people are shown how. */
export function canInstall() {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/**
 * Installs Debian packages whose programs are not found.
 *
 * @param {{ name: string, found: () => unknown }[]} packages
 */
export async function ensurePackages(packages) {
  const names = packages.filter(({ found }) => !found()).map(({ name }) => name);
  if (names.length === 0) return;

  const install = ['install', '-y', '--no-install-recommends', ...names];
  if (!canInstall()) {
    throw new SetupError(
      `Missing: ${names.join(', ')}. On Debian or Ubuntu: sudo apt-get ${install.join(' ')}`,
    );
  }
  console.log(`Installing ${names.join(', ')} (apt-get) …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await quietly('apt-get', ['update'], { env });
  await quietly('apt-get', install, { env });

  const missing = packages.filter(({ found }) => !found()).map(({ name }) => name);
  if (missing.length > 0) {
    throw new SetupError(`Installed, but its programs are still not found: ${missing.join(', ')}.`);
  }
}

/** Bundled for browsers, where the other workspaces are compiled. */
const CONSOLE = 'console';

/** Bundles the console, unless nothing of it has changed since the last time. */
export async function ensureConsole() {
  const folder = join(root, CONSOLE);
  const page = join(folder, 'dist', 'index.html');
  if (existsSync(page)) {
    const sources = [folder, join(root, 'api'), ...contractFolders()].map((each) =>
      join(each, 'src'),
    );
    const older = olderThan(statSync(page).mtimeMs);
    const own = ['package.json', 'vite.config.ts', 'contracts-without-words.ts', 'index.html'].map(
      (name) => join(folder, name),
    );
    if (own.every(older) && sources.every((each) => treeIsOlder(each, older))) return;
  }
  console.log('Building the console (vite) …');
  // Whatever the environment says: with NODE_ENV=test, as in a test, each element would carry the path of its source.
  const env = { ...process.env, NODE_ENV: 'production' };
  await quietly(...tool('vite', ['build', '--logLevel', 'warn']), { cwd: folder, env });
}

/** What the console shares with the server: contracts of workloads. */
function contractFolders() {
  return workspaceFolders()
    .filter((name) => name.startsWith('workloads/'))
    .map((name) => join(root, name));
}

/** Compiles the workspaces, unless no source has changed since the last time. */
export async function ensureBuild() {
  // Not before: it needs packages, which this file does without.
  const { ensureNewDatabase } = await import('./new-database.mjs');
  await ensureNewDatabase();
  const stamp = join(root, 'node_modules', '.millrace-build');
  const workspaces = workspaceFolders().filter((name) => name !== CONSOLE);
  if (existsSync(stamp) && isBuilt(workspaces, statSync(stamp).mtimeMs)) return;

  const started = new Date();
  console.log('Building (tsc -b) …');
  // The workspaces by name: the root has the tests too, and a start must not depend on them.
  await quietly(...tool('tsc', ['-b', ...workspaces]), { cwd: root });
  writeFileSync(stamp, '');
  utimesSync(stamp, started, started); // a source saved while the compiler ran counts as changed
}

/** @param {string[]} workspaces @param {number} builtAt */
function isBuilt(workspaces, builtAt) {
  const older = olderThan(builtAt);
  return (
    older(join(root, 'tsconfig.base.json')) &&
    workspaces.every((name) => {
      const folder = join(root, name);
      return (
        existsSync(join(folder, 'dist', '.tsbuildinfo')) &&
        older(join(folder, 'tsconfig.json')) &&
        older(join(folder, 'package.json')) &&
        treeIsOlder(join(folder, 'src'), older)
      );
    })
  );
}

/** @param {number} builtAt @returns {(path: string) => boolean} */
function olderThan(builtAt) {
  return (path) => {
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    return changedAt !== undefined && changedAt < builtAt;
  };
}

/**
 * Folders count too: theirs is the time when a file was added or removed.
 *
 * @param {string} folder @param {(path: string) => boolean} older @returns {boolean}
 */
function treeIsOlder(folder, older) {
  return (
    older(folder) &&
    readdirSync(folder, { withFileTypes: true }).every((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? treeIsOlder(path, older) : older(path);
    })
  );
}

/** @returns {string[]} */
export function workspaceFolders() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).workspaces;
}

/** Those whose package has another name. @type {Record<string, string>} */
const PACKAGE_OF = { tsc: 'typescript' };

/**
 * An installed command, for spawn: Node runs the script itself, since what stands in .bin can be spawned on Linux and macOS only.
 *
 * @param {string} name
 * @param {string[]} args
 * @returns {[command: string, args: string[]]}
 */
export function tool(name, args) {
  const folder = join(root, 'node_modules', PACKAGE_OF[name] ?? name);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return [process.execPath, [join(folder, typeof bin === 'string' ? bin : bin[name]), ...args]];
}

/**
 * npm, for spawn. On Windows it is a batch file, which only a shell starts: no argument may have a space or a quote there.
 *
 * @param {string[]} args
 * @returns {[command: string, args: string[]]}
 */
export function npm(args) {
  if (process.platform !== 'win32') return ['npm', args];
  return ['cmd.exe', ['/d', '/s', '/c', ['npm', ...args].join(' ')]];
}

/**
 * Makes this process run a module as `node <file> <arguments>` would. With no second process, there
 * are no signals and no exit code to pass on.
 *
 * @param {string} name a path from the root of the project
 */
export async function become(name) {
  const file = join(root, name);
  if (!existsSync(file)) throw new SetupError(`There is no ${name} to run.`);
  process.argv[1] = file;
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(file).href);
}

/**
 * Runs a program to its end, and shows its output only when it fails.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<string>} what it wrote to its standard output
 */
export async function quietly(command, args, options) {
  let output = '';
  let written = '';
  const code = await new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
      written += chunk;
    });
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => (output += error.message));
    child.on('close', resolve);
  });
  if (code !== 0) throw new SetupError(`${output}\n${command} ${args.join(' ')} failed.`);
  return written;
}
