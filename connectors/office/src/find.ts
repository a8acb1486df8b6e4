import { readFile, readdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** A LibreOffice installation. */
export interface Found {
  /** The folder of its libraries and of `soffice`. */
  readonly program: string;
  /** The library that LibreOfficeKit is in; null where the package has none. */
  readonly library: string | null;
  /** The program that converts one document per process, where LibreOfficeKit cannot be used. */
  readonly soffice: string | null;
  readonly version: Version;
}

export interface Version {
  readonly major: number;
  readonly minor: number;
}

export type Search = { readonly found: Found } | { readonly missing: string };

/** Where somebody looks: this process, unless a test says otherwise. */
export interface System {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** In front of every absolute place of the system; empty but in tests. */
  readonly root: string;
}

const HERE: System = { platform: process.platform, env: process.env, home: homedir(), root: '' };

/** Debian and Ubuntu, Fedora and openSUSE, Alpine, snap, flatpak; then what is under /opt. */
const LINUX_PLACES = [
  '/usr/lib/libreoffice/program',
  '/usr/lib64/libreoffice/program',
  '/usr/local/lib/libreoffice/program',
  '/snap/libreoffice/current/lib/libreoffice/program',
  '/app/libreoffice/program',
];
/** Below the folders of programs that Windows names: for all users (64 bits, 32 bits), and for one. */
const WINDOWS_FOLDERS = ['ProgramW6432', 'ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'];

/**
 * On Linux alone. Windows (sofficeapp.dll, mergedlo.dll) and macOS (libsofficeapp.dylib) have LibreOfficeKit too, but nobody
 * has tried ours there, and what keeps LibreOffice from network and disk is Linux's. So there soffice converts, one process a
 * document. In a merged build, as Debian's, libsofficeapp is missing or a stub; in the others the kit is there.
 */
const LIBRARIES = ['libmergedlo.so', 'libsofficeapp.so'];
/**
 * `soffice.bin` first: the script in front of it starts a second process that shows the splash screen. On Windows `soffice.com`:
 * unlike `soffice.exe`, it is a program of the console, and hands on what LibreOffice writes.
 */
const PROGRAMS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  win32: ['soffice.com', 'soffice.exe'],
  darwin: ['soffice', '../MacOS/soffice'],
};
const LINUX_PROGRAMS = ['soffice.bin', 'soffice'];
const GET: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  win32: 'with winget: TheDocumentFoundation.LibreOffice',
  darwin: 'with Homebrew: brew install --cask libreoffice',
};
const OLDEST_MAJOR = 7;
/** A stub is a line of text. */
const STUB_BYTES = 100;

/**
 * Looks in one place if it is given (an installation, its program folder, or the soffice in it), else in all
 * the known ones, then wherever PATH has a soffice.
 */
export async function findOffice(officePath?: string, system: System = HERE): Promise<Search> {
  const places = officePath === undefined ? await knownPlaces(system) : await placesOf(officePath);
  const old: string[] = [];
  for (const program of places) {
    const found = await lookInto(program, system);
    if (found === null) continue;
    if (found.version.major >= OLDEST_MAJOR) return { found };
    old.push(`LibreOffice ${found.version.major}.${found.version.minor} in ${program} is too old.`);
  }
  const where =
    officePath === undefined ? 'was found in none of the usual places' : `is not at ${officePath}`;
  const how = GET[system.platform] ?? 'on Debian: libreoffice-writer-nogui';
  const advice = `Install LibreOffice Writer 7.0 or later (${how}), or say where it is.`;
  return { missing: [`LibreOffice ${where}.`, ...old, advice].join(' ') };
}

async function lookInto(program: string, { platform }: System): Promise<Found | null> {
  const programs = PROGRAMS[platform];
  const library = programs === undefined ? await firstFile(program, LIBRARIES, STUB_BYTES) : null;
  const soffice = await firstFile(program, programs ?? LINUX_PROGRAMS, 0);
  if (library === null && soffice === null) return null;
  return { program, library, soffice, version: await versionOf(program) };
}

const START_UP = ['bootstraprc', 'bootstrap.ini', '../Resources/bootstraprc', 'fundamentalrc'];

/** As its own start-up file has it: "ProductKey=LibreOffice 7.4". Without one, a version that can least. */
async function versionOf(program: string): Promise<Version> {
  for (const file of START_UP) {
    const text = await readFile(join(program, file), 'utf8').catch(() => '');
    const [, major, minor] = /^ProductKey=.*?(\d+)\.(\d+)/m.exec(text) ?? [];
    if (major !== undefined && minor !== undefined)
      return { major: Number(major), minor: Number(minor) };
  }
  return { major: OLDEST_MAJOR, minor: 0 };
}

async function knownPlaces(system: System): Promise<string[]> {
  return [...(await usualPlaces(system)), ...(await placesOnPath(system))];
}

async function usualPlaces({ platform, env, home, root }: System): Promise<string[]> {
  if (platform === 'win32') {
    const folders = WINDOWS_FOLDERS.flatMap((name) => env[name] ?? []);
    return folders.flatMap((folder) =>
      [folder, join(folder, 'Programs')].map((each) => join(each, 'LibreOffice', 'program')),
    );
  }
  if (platform === 'darwin')
    return [join(root, '/Applications'), join(home, 'Applications')].map((folder) =>
      join(folder, 'LibreOffice.app', 'Contents', 'MacOS'),
    );
  const opt = join(root, '/opt');
  const underOpt = (await readdir(opt).catch(() => []))
    .filter((name) => /^(libreoffice|collaboraoffice)/i.test(name))
    .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true })) // the newest first
    .map((name) => join(opt, name, 'program'));
  return [...LINUX_PLACES.map((place) => join(root, place)), ...underOpt];
}

async function placesOnPath({ platform, env }: System): Promise<string[]> {
  const isWindows = platform === 'win32';
  const names = isWindows ? ['soffice.com', 'soffice.exe'] : ['soffice', 'libreoffice'];
  const files = (env['PATH'] ?? '')
    .split(isWindows ? ';' : ':')
    .flatMap((folder) => names.map((name) => join(folder, name)));
  const resolved = await Promise.all(files.map((file) => realpath(file).catch(() => null)));
  return [...new Set(resolved.flatMap((file) => (file ? [dirname(file)] : [])))];
}

async function placesOf(officePath: string): Promise<string[]> {
  const real = await realpath(officePath).catch(() => officePath);
  const isFile = await stat(real).then(
    (stats) => stats.isFile(),
    () => false,
  );
  if (isFile) return [dirname(real)];
  if (basename(real) === 'program') return [real];
  return [real, join(real, 'program'), join(real, 'Contents', 'MacOS')];
}

async function firstFile(
  folder: string,
  names: readonly string[],
  largerThan: number,
): Promise<string | null> {
  for (const name of names) {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => null);
    if (stats?.isFile() === true && stats.size > largerThan) return path;
  }
  return null;
}
