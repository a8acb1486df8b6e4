// What a test asks for before it begins: a server, a program, a build.
//
//   await need('office');                  at the top of a test file or of its helper, where no time-out counts
//   const url = await need('postgres');
//
// needs.mjs has the list. Each is started, installed or built once for all test files of a run, by the
// first that asks; a run that asks for nothing waits for nothing.

/** @typedef {import('./needs.mjs').Need} Need */

/** @type {Map<Need, Promise<string>>} */
const answers = new Map();

/** @param {Need} name @returns {Promise<string>} the address of a server; nothing for what has none */
export function need(name) {
  const answer = answers.get(name) ?? ask(name);
  answers.set(name, answer);
  return answer;
}

/** Whether this is the long suite. A `.both.test.ts` does more in it, or the same on another database. */
export const isLong = process.env['MILLRACE_TEST_LONG'] !== undefined;

const { fetch } = globalThis; // some tests replace it

/** @param {Need} name */
async function ask(name) {
  const response = await fetch(`${process.env['MILLRACE_TEST_NEEDS']}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
