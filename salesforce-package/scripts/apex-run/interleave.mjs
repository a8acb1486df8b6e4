// Two transactions at once. Apex waits nowhere but at a lock, of FOR UPDATE or of a write, so that is where another one can
// come in between: what a query found before the lock may be gone behind it. Each race runs once for each lock of its first transaction, and the second
// one runs from beginning to end just before that lock is had.

import { toJson } from './json.mjs';
import { platformOf } from './platform.mjs';
import { addClass } from './program.mjs';
import { createRun } from './run.mjs';
import { ApexError } from './values.mjs';

/**
 * @typedef {import('./org.mjs').Org} Org
 * @typedef {{ name: string, setup: string, one: string, other: string, check: (seen: Seen) => void }} Interleaving
 *   setup, one, other: bodies of methods in Apex; the last two return what `check` looks at, or null
 * @typedef {{ one: any, other: any, rows: Record<string, unknown>[] }} Seen rows: of Generated_Document__c, afterwards
 */

/** @param {import('./program.mjs').Program} program @param {() => Org} createOrg @param {Interleaving} race @returns {number} how many locks there were */
export function interleave(program, createOrg, { setup, one, other, check }) {
  const { methods } = addClass(
    program,
    `@IsTest private class Race {
      static void setup() { ${setup} }
      static Object one() { ${one} }
      static Object other() { ${other} }
    }`,
  );
  /** @param {Org} org @param {string} name */
  function run(org, name) {
    const [method] = methods.get(name) ?? [];
    if (method === undefined) throw new Error(`There is no ${name}.`);
    return JSON.parse(toJson(createRun(program, platformOf(org)).invoke(method, null, [])));
  }

  for (let turn = 1; ; turn += 1) {
    const org = createOrg();
    run(org, 'setup');
    org.commit();
    let locks = 0;
    /** @type {unknown} */
    let otherSaid;
    org.beforeLock = () => {
      locks += 1;
      if (locks === turn) otherSaid = attempt(() => org.aside(() => run(org, 'other')));
    };
    const oneSaid = run(org, 'one');
    org.beforeLock = undefined;
    if (locks < turn) return locks;
    try {
      check({ one: oneSaid, other: otherSaid, rows: rowsOf(org) });
    } catch (error) {
      throw new Error(`at lock ${turn}: ${error instanceof Error ? error.message : error}`);
    }
  }
}

/** What ends one transaction is nothing to the other. @param {() => unknown} work */
function attempt(work) {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ApexError)) throw error;
    return { threw: error.type };
  }
}

/** @param {Org} org */
function rowsOf(org) {
  return [...org.rows(org.type('Generated_Document__c'))].map((row) => Object.fromEntries(row));
}
