// Runs Apex over its parse tree. What the platform brings (texts, lists, queries) is asked for at the `platform`.

import { callsOf } from './calls.mjs';
import { expressionsOf } from './expressions.mjs';
import { statementsOf } from './statements.mjs';

/** @typedef {import('./model.mjs').Run} Run */

/** @param {Map<string, import('./program.mjs').Class>} classes @param {(run: Run) => import('./model.mjs').Platform} makePlatform */
export function interpreter(classes, makePlatform) {
  const run = /** @type {Run} */ ({ classes });
  Object.assign(run, callsOf(run), statementsOf(run), expressionsOf(run));
  run.platform = makePlatform(run);
  // Static variables live as long as a transaction.
  run.forgetStatics = () => {
    for (const cls of run.classes.values())
      for (const each of [cls, ...cls.inner.values()]) each.values = undefined;
  };
  return run;
}
