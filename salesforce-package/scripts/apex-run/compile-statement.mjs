// Statements. Each gives undefined to go on with the next one, or how it ended: BREAK, CONTINUE, a Returned.

import { declare, within } from './scope.mjs';
import { expressionOf, truthOf } from './compile-expression.mjs';
import { BREAK, CONTINUE, Returned, coerceTo } from './model.mjs';
import { ApexError, List, textOf } from './values.mjs';

/**
 * @typedef {import('./parser.mjs').Statement} Statement
 * @typedef {import('./scope.mjs').Scope} Scope
 * @typedef {import('./scope.mjs').Step} Step
 */

/** @type {Record<string, (node: Statement, scope: Scope) => Step>} */
const KINDS = {
  local,
  expression: (node, scope) => {
    const value = expressionOf(node['value'], scope);
    return (frame) => void value(frame);
  },
  if: (node, scope) => {
    const test = truthOf(node['test'], scope);
    const then = inner(node['then'], scope);
    const otherwise = node['otherwise'] && inner(node['otherwise'], scope);
    return (frame) => (test(frame) ? then(frame) : otherwise?.(frame));
  },
  return: (node, scope) => {
    const value = node['value'] && expressionOf(node['value'], scope);
    return (frame) => new Returned(value === undefined ? null : value(frame));
  },
  throw: (node, scope) => {
    const value = expressionOf(node['value'], scope);
    return (frame) => {
      throw value(frame);
    };
  },
  break: () => () => BREAK,
  continue: () => () => CONTINUE,
  while: (node, scope) =>
    repeated(truthOf(node['test'], scope), inner(node['body'], scope), undefined),
  for: (node, scope) => {
    const own = within(scope);
    const init = node['init'] && local(node['init'], own);
    const test = node['test'] ? truthOf(node['test'], own) : () => true;
    const step = node['step'] && expressionOf(node['step'], own);
    const loop = repeated(test, inner(node['body'], own), step);
    return (frame) => (init?.(frame), loop(frame));
  },
  each,
  try: attempt,
  switch: choice,
  write: (node, scope) => {
    const value = expressionOf(node['value'], scope);
    return (frame) => frame.run.platform.write(node['verb'], value(frame), node['asUser']);
  },
  runas: (node, scope) => {
    const user = expressionOf(node['user'], scope);
    const body = inner(node['body'], scope);
    return (frame) => {
      /** @type {unknown} */
      let done;
      frame.run.platform.runAs(user(frame), () => (done = body(frame)));
      return done;
    };
  },
};

/** @param {Statement} node @param {Scope} scope @returns {Step} */
export function statementOf(node, scope) {
  if (node.kind === 'block') return block(node, scope);
  const make = KINDS[node.kind];
  if (make === undefined)
    throw new Error(`${scope.place}:${node.line} ${node.kind} cannot be run.`);
  const step = make(node, scope);
  const { line } = node;
  const mark = { place: scope.place, line, isTest: scope.cls.isTest, runs: 0 };
  scope.cls.program.marks.push(mark);
  return (frame) => {
    mark.runs += 1;
    frame.line = line;
    frame.run.limits.spend('statements');
    return step(frame);
  };
}

/** With variables of its own. @param {Statement} node @param {Scope} scope */
function inner(node, scope) {
  return statementOf(node, within(scope));
}

/** @param {Statement} node @param {Scope} scope @returns {Step} */
function block(node, scope) {
  const own = within(scope);
  /** @type {Step[]} */
  const steps = node['statements'].map((/** @type {Statement} */ each) => statementOf(each, own));
  return (frame) => {
    for (const step of steps) {
      const done = step(frame);
      if (done !== undefined) return done;
    }
    return undefined;
  };
}

/** @param {Statement} node @param {Scope} scope @returns {Step} */
function local(node, scope) {
  const type = node['type'];
  const made = node['variables'].map((/** @type {any} */ { name, init }) => {
    const value = init && expressionOf(init, scope);
    return { slot: declare(scope, name, type), value };
  });
  return (frame) => {
    for (const { slot, value } of made)
      frame.slots[slot] = value === undefined ? null : coerceTo(value(frame), type);
  };
}

/** @param {(frame: any) => boolean} test @param {Step} turn @param {Step | undefined} after @returns {Step} */
function repeated(test, turn, after) {
  return (frame) => {
    for (; test(frame); after?.(frame)) {
      const done = turn(frame);
      if (done === BREAK) break;
      if (done instanceof Returned) return done;
    }
    return undefined;
  };
}

/** @param {Statement} node @param {Scope} scope @returns {Step} */
function each(node, scope) {
  const { items, name, type, body } = node;
  const own = within(scope);
  const values = expressionOf(items, scope);
  const slot = declare(own, name, type);
  const turn = inner(body, own);
  return (frame) => {
    const given = values(frame);
    if (given === null) throw new ApexError('NullPointerException', 'A loop over null.');
    const list = given instanceof List ? given.items : /** @type {any} */ (given).items;
    for (let i = 0; i < list.length; i += 1) {
      frame.slots[slot] = coerceTo(list[i], type);
      const done = turn(frame);
      if (done === BREAK) break;
      if (done instanceof Returned) return done;
    }
    return undefined;
  };
}

/** @param {Statement} node @param {Scope} scope @returns {Step} */
function attempt(node, scope) {
  const body = inner(node['body'], scope);
  const catches = node['catches'].map((/** @type {any} */ { type, name, body: handler }) => {
    const own = within(scope);
    return { type, slot: declare(own, name, type), handle: inner(handler, own) };
  });
  const last = node['last'] && inner(node['last'], scope);
  /** @type {Step} */
  const caught = (frame) => {
    try {
      return body(frame);
    } catch (error) {
      if (!(error instanceof ApexError)) throw error;
      const clause = catches.find((/** @type {any} */ { type }) =>
        frame.run.isInstance(error, type, frame.cls),
      );
      if (clause === undefined) throw error;
      frame.run.top = frame;
      frame.slots[clause.slot] = error;
      return clause.handle(frame);
    }
  };
  if (last === undefined) return caught;
  return (frame) => {
    /** @type {unknown} */
    let done;
    try {
      done = caught(frame);
    } catch (error) {
      // Only what Apex can throw: after a limit, nothing runs any more.
      if (error instanceof ApexError) {
        frame.run.top = frame;
        last(frame);
      }
      throw error;
    }
    return last(frame) ?? done;
  };
}

/** @param {Statement} node @param {Scope} scope @returns {Step} */
function choice(node, scope) {
  const value = expressionOf(node['value'], scope);
  const cases = node['cases'].map((/** @type {any} */ { literals, body }) => ({
    texts: literals.map((/** @type {any} */ literal) => textOf(literal.value ?? literal.text)),
    isElse: literals.length === 0,
    body: inner(body, scope),
  }));
  return (frame) => {
    const given = textOf(value(frame));
    for (const { texts, isElse, body } of cases)
      if (isElse || texts.includes(given)) return body(frame);
    return undefined;
  };
}
