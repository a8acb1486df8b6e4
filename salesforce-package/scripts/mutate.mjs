// npm run mutate [-- CLASS …]   Changes the Apex as mistakes would (mutants.mjs), one at a time, and runs the tests on it. A
// change that no test notices survives; the exit code is 1 then. Each ends with the first test that fails.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTests } from './apex-run/tests.mjs';
import { INTERLEAVINGS, RACES } from './apex-run/races.mjs';
import { packageRoot } from './lib/project.mjs';
import { MUTANTS } from './mutants.mjs';

const only = process.argv.slice(2);
const chosen = MUTANTS.filter(({ file }) => only.length === 0 || only.includes(file));
const races = new Set([...RACES, ...INTERLEAVINGS].map(({ name }) => name));
const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
const source = join(folder, 'default');
let killed = 0;
try {
  cpSync(join(packageRoot, 'force-app/main/default'), source, { recursive: true });
  for (const mutant of chosen) {
    const path = join(source, 'classes', `${mutant.file}.cls`);
    const text = readFileSync(path, 'utf8');
    const { line, changed } = applied(text, mutant);
    writeFileSync(path, changed);
    const by = firstFailure(mutant.file);
    writeFileSync(path, text);
    if (by !== undefined) killed += 1;
    const end = by === undefined ? 'SURVIVED' : 'killed  ';
    console.log(`${end} ${mutant.file}.cls:${line} ${mutant.from.split('\n')[0]}`);
    if (by !== undefined) console.log(`         by ${by.slice(0, 120)}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`result: mutants=${chosen.length} killed=${killed} survived=${chosen.length - killed}`);
if (killed < chosen.length) process.exitCode = 1;

/** @param {string} text @param {import('./mutants.mjs').Mutant} mutant */
function applied(text, { file, from, to }) {
  const parts = text.split(from);
  if (parts.length < 2)
    throw new Error(`${file}.cls has no "${from}". Change mutants.mjs with it.`);
  const [first = '', ...rest] = parts;
  return { line: first.split('\n').length, changed: first + to + rest.join(from) };
}

/** The tests of the class and the races first: most mistakes are found there. @param {string} file */
function firstFailure(file) {
  const near = (/** @type {string} */ name) =>
    races.has(name) || name.startsWith(`${file}Test.`) || name.startsWith('GeneratedDocument');
  for (const wanted of [near, (/** @type {string} */ name) => !near(name)]) {
    const [problem] = runTests(source, wanted, { bail: true }).problems;
    if (problem !== undefined) return problem;
  }
  return undefined;
}
