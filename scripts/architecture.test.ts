// What the linter has no rule for. The direction of the imports is in .oxlintrc.json.

import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { workloads } from '@millrace/workloads';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const { workspaces } = readJson('package.json') as { workspaces: string[] };

test('the engine never asks the system for the time', () => {
  const now = /\bDate\s*\(\s*\)|\bnew Date\b(?!\s*\()/;
  const clocks = sources('engine').filter(({ text }) => now.test(text));
  expect(clocks.map(({ file }) => file)).toEqual([]);
});

describe('the server names no workload', () => {
  const known = workloads.flatMap(({ name, settings, contract }) => [
    name,
    ...Object.keys(settings.variables),
    ...Object.keys(contract.routes),
    ...Object.keys(contract.errors),
    ...Object.keys(contract.metrics),
  ]);

  // Words of the language and of the core stay free: a workload may well have a file, a range or a conflict.
  // The sandbox stands in for the person who sets a workload up.
  const files = sources('server').filter(({ file }) => !file.startsWith('sandbox'));
  test.each(files.map(({ file, text }) => [file, text]))('%s', (_, text) => {
    const named = known.filter((name) =>
      new RegExp(`(['"\`.]|^  +)${name}(['"\`:(]|$)`, 'm').test(text),
    );
    expect(named).toEqual([]);
  });
});

test('no workload imports another', () => {
  const folders = workspaces.filter((each) => each.startsWith('workloads/'));
  const packages = new Map(
    folders.map((folder) => [folder, (readJson(folder, 'package.json') as PackageJson).name]),
  );
  const free = ['workloads/kit', 'workloads/list'];
  for (const folder of folders.filter((each) => !free.includes(each))) {
    const others = folders.filter((each) => each !== folder && each !== 'workloads/kit');
    const imported = sources(folder).filter(({ text }) =>
      others.some((other) => text.includes(`'${packages.get(other)}`)),
    );
    expect(imported.map(({ file }) => file)).toEqual([]);
  }
});

// A file that moves inside its package breaks nobody who goes by the package's name.
test('benches import packages by their names, and of the project by path only scripts', () => {
  const folder = join(root, 'lab/bench');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.mjs') && !file.includes('node_modules'),
  );
  const leaving = files.flatMap((file) =>
    importsOf(file, readFileSync(join(folder, file), 'utf8'))
      .filter((path) => path.startsWith('..') && !/^\.\.\/\.\.\/scripts\/[\w-]+\.mjs$/.test(path))
      .map((path) => `${file}: ${path}`),
  );
  expect(leaving).toEqual([]);
});

/** Followed from the entry on, so that nothing of Node hides behind a file of ours. */
test.each(['api/src/index.ts', 'workloads/list/src/contracts.ts'])(
  'a browser can import %s',
  async (entry) => {
    const { metafile, warnings } = await build({
      entryPoints: [join(root, entry)],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'browser',
      format: 'esm',
      conditions: ['millrace-source'],
    });
    expect(warnings).toEqual([]);
    const ours = Object.keys(metafile.inputs).filter((file) => !file.includes('node_modules'));
    const places = ours.map((file) => relative(root, join(process.cwd(), file)));
    const allowed =
      /^(api\/src|runs\/src\/contract|workloads\/(kit|\w+)\/src\/contract|workloads\/list\/src\/contracts)/;
    expect(places.filter((file) => !allowed.test(file))).toEqual([]);
  },
);

describe.each(workspaces)('%s', (workspace) => {
  // npm links each workspace for all others, so an undeclared import would work here and only here.
  test('declares the workspaces that it imports', () => {
    const {
      name,
      dependencies = {},
      devDependencies = {},
    } = readJson(workspace, 'package.json') as PackageJson;
    // The console is bundled, so it needs no package where it runs.
    const declared = workspace === 'console' ? devDependencies : dependencies;
    const imported = sources(workspace)
      .flatMap(({ text }) => [...text.matchAll(/['"](@millrace\/[\w-]+)[/'"]/g)])
      .flatMap((match) => match[1] ?? []);
    const undeclared = imported.filter((other) => other !== name && !(other in declared));
    expect([...new Set(undeclared)]).toEqual([]);
  });

  // On Node 20 and 22 a storage in use makes every promise of the process slower, also once nobody needs it.
  test('switches asynchronous contexts off', () => {
    const left = sources(workspace).filter(
      ({ text }) => text.includes('new AsyncLocalStorage') && !text.includes('.disable()'),
    );
    expect(left.map(({ file }) => file)).toEqual([]);
  });
});

/** Also of types, and those that are made while the program runs. */
function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path = '']) =>
    join(dirname(file), path),
  );
}

type PackageJson = {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
};

function readJson(...path: string[]): unknown {
  return JSON.parse(readFileSync(join(root, ...path), 'utf8'));
}

/** The files of a package that ship: not its tests. */
function sources(workspace: string): { file: string; text: string }[] {
  const folder = join(root, workspace, 'src');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));
}
