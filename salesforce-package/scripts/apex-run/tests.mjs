// Runs test methods, each in an org of its own, and says which statements they did not reach.

import { codeOf } from './compile.mjs';
import { AssertionFailure } from './library.mjs';
import { interleave } from './interleave.mjs';
import { orgMaker } from './org.mjs';
import { platformOf } from './platform.mjs';
import { addClass, allClasses, loadProgram } from './program.mjs';
import { INTERLEAVINGS, RACES } from './races.mjs';
import { createRun } from './run.mjs';
import { ApexError } from './values.mjs';

/** @typedef {import('./program.mjs').Program} Program */

/** @param {string} source force-app/main/default @param {(name: string) => boolean} [asked] @param {{ bail?: boolean }} [options] bail: nothing runs after the first that fails */
export function runTests(source, asked = () => true, { bail = false } = {}) {
  const createOrg = orgMaker(source);
  const program = loadProgram(source);
  let passed = 0;
  /** @type {string[]} */
  const problems = [];
  const wanted = (/** @type {string} */ name) => asked(name) && !(bail && problems.length > 0);
  /** @param {string} name @param {import('./program.mjs').Method | undefined} method @param {import('./org.mjs').Org} org */
  function attempt(name, method, org) {
    try {
      if (method === undefined) throw new Error('It is not there.');
      createRun(program, platformOf(org)).invoke(method, null, []);
      passed += 1;
    } catch (error) {
      problems.push(`${name} ${said(error)}`);
    }
  }
  for (const name of testNames(program)) {
    if (!wanted(name)) continue;
    const [className = '', methodName = ''] = name.toLowerCase().split('.');
    attempt(name, program.classes.get(className)?.methods.get(methodName)?.[0], createOrg());
  }
  for (const { name, meanwhile, apex } of RACES) {
    if (!wanted(name)) continue;
    const cls = addClass(program, `@IsTest private class Race { static void run() { ${apex} } }`);
    const org = createOrg();
    meanwhile(org);
    attempt(name, cls.methods.get('run')?.[0], org);
  }
  for (const race of INTERLEAVINGS) {
    if (!wanted(race.name)) continue;
    try {
      if (interleave(program, createOrg, race) === 0) throw new Error('It waits for no lock.');
      passed += 1;
    } catch (error) {
      problems.push(`${race.name} ${said(error)}`);
    }
  }
  return { passed, problems, coverage: bail ? NONE : coverageOf(program) };
}

/** Half a run covers nothing that means something. */
const NONE = { statements: 0, percent: 0, missed: /** @type {string[]} */ ([]) };

/** Coverage of the statements outside tests. @param {Program} program */
function coverageOf(program) {
  for (const { methods, constructors } of allClasses(program))
    for (const method of [...methods.values(), constructors].flat())
      if (method.body !== undefined) codeOf(method); // what nobody called is not compiled yet
  const counted = program.marks.filter(({ isTest }) => !isTest);
  const missed = counted.filter(({ runs }) => runs === 0);
  return {
    statements: counted.length,
    percent: Math.floor(((counted.length - missed.length) / counted.length) * 1000) / 10,
    missed: missed.map(({ place, line }) => `${place}:${line}`),
  };
}

/** @param {unknown} error */
function said(error) {
  if (error instanceof AssertionFailure) return error.message;
  if (error instanceof ApexError) return `threw ${error.type}: ${error.message}`;
  return error instanceof Error
    ? process.env['APEX_RUN_STACK']
      ? error.stack
      : error.message
    : String(error);
}

/** @param {Program} program */
function testNames({ classes }) {
  return [...classes.values()]
    .filter(({ isTest }) => isTest)
    .flatMap(({ name, methods }) =>
      [...methods.values()]
        .flat()
        .filter(({ annotations }) => annotations.includes('istest'))
        .map((method) => `${name}.${method.name}`),
    );
}
