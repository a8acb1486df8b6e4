// Statements. A function gives undefined to go on with the next one, or how it ended: BREAK, CONTINUE, a Returned.

import { childOf } from '../lib/apex-tree.mjs';
import { BREAK, CONTINUE, Returned, part, parts } from './model.mjs';
import { typeText } from './program.mjs';
import { ApexError, List, textOf } from './values.mjs';

/**
 * @typedef {import('../lib/apex-tree.mjs').Node} Node
 * @typedef {import('./model.mjs').Frame} Frame
 * @typedef {import('./model.mjs').Run} Run
 */

/** @param {Run} run */
export function statementsOf(run) {
  /** @param {Node} node @param {Frame} frame @returns {unknown} */
  function block(node, frame) {
    frame.scopes.push(new Map());
    try {
      for (const each of parts(node, 'statement')) {
        const done = statement(each.children[0], frame);
        if (done !== undefined) return done;
      }
      return undefined;
    } finally {
      frame.scopes.pop();
    }
  }

  /** The statement below a control statement. @param {Node} node @param {Frame} frame */
  function body(node, frame) {
    return node.rule === 'block' ? block(node, frame) : statement(node.children[0], frame);
  }

  /** @param {Node | undefined} node @param {Frame} frame @returns {unknown} undefined: go on */
  function statement(node, frame) {
    switch (node?.rule) {
      case 'block':
        return block(node, frame);
      case 'localVariableDeclarationStatement':
        local(part(node, 'localVariableDeclaration'), frame);
        return undefined;
      case 'expressionStatement':
        run.value(part(node, 'expression'), frame);
        return undefined;
      case 'ifStatement': {
        const [then, otherwise] = parts(node, 'statement');
        if (run.truth(part(part(node, 'parExpression'), 'expression'), frame))
          return then && body(then, frame);
        return otherwise && body(otherwise, frame);
      }
      case 'returnStatement': {
        const given = childOf(node, 'expression');
        return new Returned(given === undefined ? null : run.value(given, frame));
      }
      case 'throwStatement':
        throw run.value(part(node, 'expression'), frame);
      case 'breakStatement':
        return BREAK;
      case 'continueStatement':
        return CONTINUE;
      case 'forStatement':
        return loop(node, frame);
      case 'whileStatement':
        return repeat(
          () => run.truth(part(part(node, 'parExpression'), 'expression'), frame),
          () => body(part(node, 'statement'), frame),
        );
      case 'tryStatement':
        return attempt(node, frame);
      case 'switchStatement':
        return choice(node, frame);
      case 'insertStatement':
      case 'updateStatement':
      case 'deleteStatement':
        run.platform.write(
          node.rule.replace('Statement', ''),
          run.value(part(node, 'expression'), frame),
        );
        return undefined;
      case 'runAsStatement': {
        const [user] = run.args(node, frame);
        /** @type {unknown} */
        let done;
        run.platform.runAs(user, () => (done = block(part(node, 'block'), frame)));
        return done;
      }
      default:
        throw new Error(`${frame.cls.name}:${node?.line} ${node?.rule} cannot be run.`);
    }
  }

  /** @param {Node} node @param {Frame} frame */
  function local(node, frame) {
    const type = typeText(childOf(node, 'typeRef'));
    for (const each of parts(part(node, 'variableDeclarators'), 'variableDeclarator')) {
      const init = childOf(each, 'expression');
      run.declare(
        frame,
        part(each, 'id').text.toLowerCase(),
        type,
        init ? run.value(init, frame) : null,
      );
    }
  }

  /** @param {() => boolean} goesOn @param {() => unknown} turn @param {() => void} [after] */
  function repeat(goesOn, turn, after = () => {}) {
    for (; goesOn(); after()) {
      const done = turn();
      if (done === BREAK) break;
      if (done instanceof Returned) return done;
    }
    return undefined;
  }

  /** @param {Node} node @param {Frame} frame */
  function loop(node, frame) {
    const control = part(node, 'forControl');
    const each = childOf(control, 'enhancedForControl');
    const turn = part(node, 'statement');
    frame.scopes.push(new Map());
    try {
      if (each !== undefined) {
        const items = itemsOf(run.value(part(each, 'expression'), frame));
        const name = part(each, 'id').text.toLowerCase();
        const type = typeText(childOf(each, 'typeRef'));
        let i = 0;
        return repeat(
          () => i < items.length,
          () => {
            run.declare(frame, name, type, items[i++]);
            return body(turn, frame);
          },
        );
      }
      const init = childOf(control, 'forInit');
      if (init?.children[0]) local(init.children[0], frame);
      const condition = childOf(control, 'expression');
      const update = childOf(control, 'forUpdate');
      return repeat(
        () => condition === undefined || run.truth(condition, frame),
        () => body(turn, frame),
        () => update && run.args(update, frame),
      );
    } finally {
      frame.scopes.pop();
    }
  }

  /** @param {unknown} value @returns {unknown[]} */
  function itemsOf(value) {
    if (value === null) throw new ApexError('NullPointerException', 'A loop over null.');
    return value instanceof List ? value.items : /** @type {{ items: unknown[] }} */ (value).items;
  }

  /** @param {Node} node @param {Frame} frame */
  function attempt(node, frame) {
    const depth = frame.scopes.length;
    try {
      return block(part(node, 'block'), frame);
    } catch (error) {
      frame.scopes.length = depth;
      if (!(error instanceof ApexError)) throw error;
      for (const clause of parts(node, 'catchClause')) {
        if (!run.isInstance(error, part(clause, 'qualifiedName').text.toLowerCase(), frame.cls))
          continue;
        frame.scopes.push(new Map([[part(clause, 'id').text.toLowerCase(), error]]));
        try {
          return block(part(clause, 'block'), frame);
        } finally {
          frame.scopes.pop();
        }
      }
      throw error;
    } finally {
      const last = childOf(node, 'finallyBlock');
      if (last !== undefined) block(part(last, 'block'), frame);
    }
  }

  /** @param {Node} node @param {Frame} frame */
  function choice(node, frame) {
    const value = run.value(part(node, 'expression'), frame);
    for (const control of parts(node, 'whenControl')) {
      const when = part(control, 'whenValue');
      const fits =
        when.children[0]?.text === 'else' ||
        parts(when, 'whenLiteral').some(
          ({ text }) => text === (typeof value === 'string' ? `'${value}'` : textOf(value)),
        );
      if (fits) return block(part(control, 'block'), frame);
    }
    return undefined;
  }

  return { block, statement };
}
