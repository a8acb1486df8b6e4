import { readFile, readdir, realpath, stat } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';

/** A LibreOffice installation. */
export interface Found {
  /** The folder of its libraries and of `soffice`. */
  readonly program: string;
  /** The library that LibreOfficeKit is in; null where the package has none. */
  readonly library: string | null;
  /** What converts one document per process, where LibreOfficeKit cannot be used. */
  readonly soffice: string | null;
  readonly version: Version;
}

export interface Version {
  readonly major: number;
  readonly minor: number;
}

export type Search = { readonly found: Found } | { readonly missing: string };

/** Debian and Ubuntu, Fedora and openSUSE, Alpine, snap, flatpak, macOS; then what is under /opt. */
const PLACES = [
  '/usr/lib/libreoffice/program',
  '/usr/lib64/libreoffice/program',
  '/usr/local/lib/libreoffice/program',
  '/snap/libreoffice/current/lib/libreoffice/program',
  '/app/libreoffice/program',
  '/Applications/LibreOffice.app/Contents/Frameworks',
];
/** In a merged build, as Debian's, libsofficeapp is missing or a stub; in the others the kit is there. */
const LIBRARIES = [
  'libmergedlo.so',
  'libsofficeapp.so',
  'libmergedlo.dylib',
  'libsofficeapp.dylib',
];
/** `soffice.bin` first: the script in front of it starts a second process that shows the splash screen. */
const PROGRAMS = ['soffice.bin', 'soffice', '../MacOS/soffice'];
const OLDEST_MAJOR = 7;
/** A stub is a line of text. */
const STUB_BYTES = 100;

/**
 * Looks in one place if it is given (an installation, its program folder, or the soffice in it), else in all
 * the known ones, then wherever PATH has a soffice.
 */
export async function findOffice(officePath?: string): Promise<Search> {
  const places = officePath === undefined ? await knownPlaces() : await placesOf(officePath);
  const old: string[] = [];
  for (const program of places) {
    const found = await lookInto(program);
    if (found === null) continue;
    if (found.version.major >= OLDEST_MAJOR) return { found };
    old.push(`LibreOffice ${found.version.major}.${found.version.minor} in ${program} is too old.`);
  }
  const where =
    officePath === undefined ? 'was found in none of the usual places' : `is not at ${officePath}`;
  const advice =
    'Install LibreOffice Writer 7.0 or later (on Debian: libreoffice-writer-nogui), or say where it is.';
  return { missing: [`LibreOffice ${where}.`, ...old, advice].join(' ') };
}

async function lookInto(program: string): Promise<Found | null> {
  const library = await firstFile(program, LIBRARIES, STUB_BYTES);
  const soffice = await firstFile(program, PROGRAMS, 0);
  if (library === null && soffice === null) return null;
  return { program, library, soffice, version: await versionOf(program) };
}

/** As its own start-up file has it: "ProductKey=LibreOffice 7.4". Without one, a version that can least. */
async function versionOf(program: string): Promise<Version> {
  for (const file of ['bootstraprc', '../Resources/bootstraprc', 'fundamentalrc']) {
    const text = await readFile(join(program, file), 'utf8').catch(() => '');
    const [, major, minor] = /^ProductKey=.*?(\d+)\.(\d+)/m.exec(text) ?? [];
    if (major !== undefined && minor !== undefined)
      return { major: Number(major), minor: Number(minor) };
  }
  return { major: OLDEST_MAJOR, minor: 0 };
}

async function knownPlaces(): Promise<string[]> {
  const opt = await readdir('/opt').catch(() => []);
  const underOpt = opt
    .filter((name) => /^(libreoffice|collaboraoffice)/i.test(name))
    .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true })) // the newest first
    .map((name) => join('/opt', name, 'program'));
  const onPath = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => ['soffice', 'libreoffice'].map((name) => join(folder, name)));
  const resolved = await Promise.all(onPath.map((file) => realpath(file).catch(() => null)));
  return [
    ...PLACES,
    ...underOpt,
    ...new Set(resolved.flatMap((file) => (file ? [dirname(file)] : []))),
  ];
}

async function placesOf(officePath: string): Promise<string[]> {
  const real = await realpath(officePath).catch(() => officePath);
  const isFile = await stat(real).then(
    (stats) => stats.isFile(),
    () => false,
  );
  if (isFile) return [dirname(real)];
  return basename(real) === 'program' ? [real] : [real, join(real, 'program')];
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
