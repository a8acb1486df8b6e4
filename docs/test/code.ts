import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { need } from '../../scripts/need.mjs';
import { type Started, startNode } from '../../server/test/process.ts';
import { fragments } from './fragments.ts';
import { blocksOf } from './tutorial.ts';
import { root } from './tree.ts';

await need('build'); // programs of a project import what is built

const run = promisify(execFile);

/**
 * A reader's project: the blocks of a page that say which file they are (```` ```ts file=greet.ts ````), beside the packages that
 * they import. Programs run as the reader's would, in plain Node on what is built.
 */
export interface Project {
  readonly folder: string;
  readonly files: readonly string[];
  /** What the program writes; rejects when it ends otherwise than with 0. */
  node(file: string, options?: RunOptions): Promise<string>;
  /** A program that does not end by itself: once it has written this, it is ended. */
  until(file: string, pattern: RegExp, env: Readonly<Record<string, string>>): Promise<string>;
  remove(): Promise<void>;
}

export interface RunOptions {
  /** Before the file: `--test`. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The programs of pages that are fragments, for the compiler alone. */
export async function startFragments(
  packages: readonly string[],
): Promise<Pick<Project, 'folder' | 'files' | 'remove'>> {
  const all = fragments();
  const folder = await mkdtemp(join(tmpdir(), 'millrace-fragments-'));
  for (const { file, text } of all) await writeFile(join(folder, file), text);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  // The second program of README.md imports the first.
  await mkdir(join(folder, 'jobs'));
  await symlink(join(folder, 'README-md-0.ts'), join(folder, 'jobs/greet.ts'));
  for (const name of packages) await link(folder, name);
  return {
    folder,
    files: all.map(({ file }) => file),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Packages that are not in the workspace's own node_modules, and where they are. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'pg-boss': 'lab/bench/node_modules/pg-boss',
  'graphile-worker': 'lab/bench/node_modules/graphile-worker',
};

export async function startProject(page: string, packages: readonly string[]): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-code-'));
  const blocks = (await blocksOf(page)).filter(({ notes }) => notes['file'] !== undefined);
  for (const { notes, text } of blocks) await writeFile(join(folder, notes['file'] ?? ''), text);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  for (const name of [...packages, '@types/node', '@types/pg']) await link(folder, name);
  const files = blocks.map(({ notes }) => notes['file'] ?? '');
  return {
    folder,
    files,
    async until(file, pattern, env) {
      const started: Started = startNode([await compiled(folder, file)], { ...env }, folder);
      try {
        await started.says(pattern);
        return started.output();
      } finally {
        started.child.kill('SIGKILL');
        await started.ended;
      }
    },
    async node(file, { flags = [], env = {} } = {}) {
      const program = await compiled(folder, file);
      const { PATH = '' } = process.env;
      const { stdout } = await run(process.execPath, [...flags, program], {
        cwd: folder,
        env: { PATH, TMPDIR: tmpdir(), ...env },
        timeout: 60_000,
      });
      return stdout;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function link(folder: string, name: string): Promise<void> {
  const place = join(folder, 'node_modules', name);
  await mkdir(dirname(place), { recursive: true });
  await symlink(join(root, ELSEWHERE[name] ?? `node_modules/${name}`), place);
}

/** With the other files of the project in it: plain Node reads no TypeScript. */
async function compiled(folder: string, file: string): Promise<string> {
  const outfile = join(folder, file.replace(/\.ts$/, '.mjs'));
  await build({
    entryPoints: [join(folder, file)],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  });
  return outfile;
}

/** What the compiler says of all files of these projects; an empty text when it agrees. */
export async function typeErrors(
  projects: readonly Pick<Project, 'folder' | 'files'>[],
): Promise<string> {
  const base = await readFile(join(root, 'tsconfig.base.json'), 'utf8');
  const { compilerOptions } = JSON.parse(base) as { compilerOptions: object };
  const folder = await mkdtemp(join(tmpdir(), 'millrace-types-'));
  const settings = {
    compilerOptions: {
      ...compilerOptions,
      composite: false,
      declarationMap: false,
      sourceMap: false,
      noEmit: true,
      // Scripts that a program imports say their types in comments.
      allowJs: true,
      // Few readers have the one, and the other is for what is emitted.
      exactOptionalPropertyTypes: false,
      rewriteRelativeImportExtensions: false,
      allowImportingTsExtensions: true,
      typeRoots: [join(root, 'node_modules/@types')],
    },
    files: projects.flatMap((project) => project.files.map((file) => join(project.folder, file))),
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const tsc = join(root, 'node_modules/.bin/tsc');
  try {
    return await run(tsc, ['-p', folder, '--pretty', 'false']).then(
      () => '',
      (error: unknown) => (error as { stdout: string }).stdout,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
