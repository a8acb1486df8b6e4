// What the linter has no rule for. The direction of the imports is in .oxlintrc.json.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const { workspaces } = readJson('package.json') as { workspaces: string[] };

test('the engine never asks the system for the time', () => {
  const now = /\bDate\s*\(\s*\)|\bnew Date\b(?!\s*\()/;
  const clocks = sources('engine').filter(({ text }) => now.test(text));
  expect(clocks.map(({ file }) => file)).toEqual([]);
});

describe.each(workspaces)('%s', (workspace) => {
  // npm links each workspace for all others, so an undeclared import would work here and only here.
  test('declares the workspaces that it imports', () => {
    const { name, dependencies = {} } = readJson(workspace, 'package.json') as PackageJson;
    const imported = sources(workspace)
      .flatMap(({ text }) => [...text.matchAll(/['"](@millrace\/[\w-]+)['"]/g)])
      .flatMap((match) => match[1] ?? []);
    const undeclared = imported.filter((other) => other !== name && !(other in dependencies));
    expect([...new Set(undeclared)]).toEqual([]);
  });
});

type PackageJson = { name: string; dependencies?: Record<string, string> };

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
