import { createRequire } from 'node:module';
import { readdir, realpath } from 'node:fs/promises';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import type { Found } from '../find.ts';
import type { Reach } from './landlock.ts';

/**
 * All that a process needs of the disk. Where the programs' libraries are, depends on the distribution: Debian and Fedora,
 * then Nix, Guix and snap. What is missing on a machine is passed over.
 */
const SYSTEM = [
  '/lib',
  '/lib32',
  '/lib64',
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/usr/local/lib',
  '/nix/store',
  '/gnu/store',
  '/snap/libreoffice',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/ld-musl-x86_64.path',
  '/etc/ld-musl-aarch64.path',
  '/usr/share/liblangtag',
  '/usr/share/hyphen',
  '/usr/share/locale',
  '/etc/locale.alias',
  '/usr/share/i18n',
  '/usr/share/icu',
  '/usr/share/zoneinfo',
  '/etc/localtime',
  '/etc/timezone',
  '/etc/fonts',
  '/usr/share/fonts',
  '/usr/share/fontconfig',
  '/usr/share/xml/fontconfig',
  '/usr/local/share/fonts',
  '/usr/local/etc/fonts',
  '/var/cache/fontconfig',
  // How much memory and how many processors there are.
  '/proc/meminfo',
  '/proc/cpuinfo',
  '/sys/devices/system/cpu',
  '/sys/fs/cgroup',
];
const DEVICES = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom'];
/** Variables that name more of it, and that a child is given. */
const NAMED_BY = ['LD_LIBRARY_PATH', 'FONTCONFIG_FILE', 'FONTCONFIG_PATH'];

/** The paths that every process of a pool may read; it may write to its own folder only. */
export async function reachOf(params: {
  office: Found;
  script: string;
  fontFolders: readonly string[];
  cache: string;
}): Promise<Omit<Reach, 'write'>> {
  const { office, script, fontFolders, cache } = params;
  const program = dirname(script);
  const named = NAMED_BY.flatMap((name) => (process.env[name] ?? '').split(delimiter));
  const read = [
    ...SYSTEM,
    await real(process.execPath),
    program,
    join(program, '../package.json'),
    ...modules(),
    ...(await installation(office)),
    ...named.filter(isAbsolute),
    ...fontFolders,
    cache,
  ];
  return { read: [...new Set(read)], devices: DEVICES };
}

/** The folder above `program` has its settings; Debian links from there into half a dozen others. 80 ms, once. */
async function installation({ program, library, soffice }: Found): Promise<string[]> {
  const files = [library, soffice].filter((file) => file !== null);
  const places = await Promise.all([
    real(program),
    ...files.map(async (file) => dirname(await real(file))),
  ]);
  const folders = [...new Set([program, ...places])].map((folder) =>
    basename(folder) === 'program' ? dirname(folder) : folder,
  );
  const linked = await Promise.all(folders.map(targetsIn));
  return [...folders, ...linked.flat()];
}

async function targetsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const links = entries.filter((entry) => entry.isSymbolicLink());
  return Promise.all(links.map(({ parentPath, name }) => real(join(parentPath, name))));
}

/**
 * The packages that the process imports: our writer of ZIPs, Koffi with the library that belongs to it, and what encrypts; the last
 * two where they are installed.
 */
function modules(): string[] {
  const { resolve } = createRequire(import.meta.url);
  const optional = ['koffi', '@cantoo/pdf-lib'].flatMap((name) => {
    try {
      const [root = ''] = resolve(name).split('/node_modules/');
      return [join(root, 'node_modules')];
    } catch {
      return [];
    }
  });
  return [join(dirname(resolve('@millrace/zip')), '..'), ...optional];
}

function real(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
