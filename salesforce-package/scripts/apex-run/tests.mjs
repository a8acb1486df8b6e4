// Runs test methods, each in an org of its own.

import { interpreter } from './interpreter.mjs';
import { AssertionFailure } from './library.mjs';
import { describeFrom } from './natives.mjs';
import { orgMaker } from './org.mjs';
import { platformOf } from './platform.mjs';
import { loadClasses } from './program.mjs';
import { ApexError } from './values.mjs';

/** @param {string} source @param {import('../lib/apex-tree.mjs').ApexFile[]} files @param {(name: string) => boolean} [wanted] */
export function runTests(source, files, wanted = () => true) {
  const createOrg = orgMaker(source);
  const classes = loadClasses(files);
  let passed = 0;
  /** @type {string[]} */
  const problems = [];
  for (const name of testNames(classes).filter(wanted)) {
    const org = createOrg();
    describeFrom((type) => org.type(type));
    const run = interpreter(classes, platformOf(org, files));
    run.forgetStatics();
    const [className = '', methodName = ''] = name.split('.');
    const method = run.classes
      .get(className.toLowerCase())
      ?.methods.get(methodName.toLowerCase())?.[0];
    try {
      if (method === undefined) throw new Error('It is not there.');
      run.invoke(method, null, []);
      passed += 1;
    } catch (error) {
      problems.push(`${name} ${said(error)}`);
    }
  }
  return { passed, problems };
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

/** @param {Map<string, import('./program.mjs').Class>} classes */
function testNames(classes) {
  return [...classes.values()]
    .filter(({ isTest }) => isTest)
    .flatMap(({ name, methods }) =>
      [...methods.values()]
        .flat()
        .filter(({ annotations }) => annotations.includes('@istest'))
        .map((method) => `${name}.${method.name}`),
    );
}
