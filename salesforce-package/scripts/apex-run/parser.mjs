// Apex as a tree, read by hand: the grammar's own parser takes 10 s for our 40 classes, and this one 0.3 s. It reads
// what the platform would compile and no more of the language than our classes use; whatever else stops it with its line.
// That the classes are Apex is another's to say: the checks `syntax` and `types`.

import { parseExpression, typeOf } from './parse-expression.mjs';
import { readerOf, tokensOf, unquoted } from './tokens.mjs';

/**
 * @typedef {import('./tokens.mjs').Reader} Reader
 * @typedef {import('./parse-expression.mjs').Expression} Expression
 * @typedef {{ kind: string, line: number, [part: string]: any }} Statement
 * @typedef {{ name: string, type: string }} Parameter
 * @typedef {{ kind: 'variable', name: string, type: string, init: Expression | undefined, isStatic: boolean }} VariableTree
 * @typedef {{ kind: 'method', name: string, type: string, isStatic: boolean, isConstructor: boolean, annotations: string[], parameters: Parameter[], body: Statement | undefined, line: number }} MethodTree
 * @typedef {{ kind: 'class', name: string, modifiers: string[], annotations: string[], superName: string, interfaces: string[], members: (VariableTree | MethodTree | ClassTree)[], mapping: string }} ClassTree
 * @typedef {{ name: string, object: string, events: string[], body: Statement }} TriggerTree
 */

const MODIFIERS = new Set(
  'public private protected global static final virtual abstract override transient testmethod with without inherited sharing'.split(
    ' ',
  ),
);

/** @param {string} source @returns {ClassTree} */
export function parseClass(source) {
  const reader = readerOf(tokensOf(source));
  const { modifiers, annotations, mapping } = modifiersOf(reader);
  return { ...classOf(reader, modifiers, annotations), mapping };
}

/** @param {string} source @returns {TriggerTree} */
export function parseTrigger(source) {
  const reader = readerOf(tokensOf(source));
  reader.expect('trigger');
  const name = reader.name();
  reader.expect('on');
  const object = reader.name();
  reader.expect('(');
  const events = [];
  do {
    events.push(`${reader.name()} ${reader.name()}`.toLowerCase());
  } while (reader.take(','));
  reader.expect(')');
  return { name, object, events, body: blockOf(reader) };
}

/** @param {Reader} reader */
function modifiersOf(reader) {
  const modifiers = [];
  const annotations = [];
  let mapping = '';
  for (;;) {
    if (reader.take('@')) {
      annotations.push(reader.name().toLowerCase());
      if (reader.is('(')) mapping = mappingOf(reader) ?? mapping;
    } else if (reader.peek().kind === 'name' && MODIFIERS.has(reader.peek().low)) {
      modifiers.push(reader.next().low);
    } else return { modifiers, annotations, mapping };
  }
}

/** `(urlMapping='/millrace/v1/*')`; whatever else an annotation says is passed over. @param {Reader} reader */
function mappingOf(reader) {
  /** @type {string | undefined} */
  let mapping;
  while (!reader.take(')')) {
    if (reader.is('urlmapping')) mapping = unquoted(reader.peek(2).text);
    reader.next();
  }
  return mapping;
}

/** @param {Reader} reader @param {string[]} modifiers @param {string[]} annotations @returns {ClassTree} */
function classOf(reader, modifiers, annotations) {
  reader.expect('class');
  const name = reader.name();
  const superName = reader.take('extends') ? typeOf(reader) : '';
  const interfaces = [];
  if (reader.take('implements'))
    do interfaces.push(typeOf(reader));
    while (reader.take(','));
  reader.expect('{');
  /** @type {ClassTree['members']} */
  const members = [];
  while (!reader.take('}')) members.push(...membersOf(reader, name));
  return {
    kind: 'class',
    name,
    modifiers,
    annotations,
    superName,
    interfaces,
    members,
    mapping: '',
  };
}

/** @param {Reader} reader @param {string} className @returns {ClassTree['members']} */
function membersOf(reader, className) {
  const { modifiers, annotations } = modifiersOf(reader);
  const isStatic = modifiers.includes('static') || modifiers.includes('testmethod');
  const { line } = reader.peek();
  if (reader.is('class')) return [classOf(reader, modifiers, annotations)];
  const isConstructor = reader.is(className.toLowerCase()) && reader.is('(', 1);
  const type = isConstructor ? 'void' : typeOf(reader);
  const name = reader.name();
  if (reader.is('(')) {
    const parameters = parametersOf(reader);
    const body = reader.take(';') ? undefined : blockOf(reader);
    return [
      { kind: 'method', name, type, isStatic, isConstructor, annotations, parameters, body, line },
    ];
  }
  if (reader.take('{')) {
    // { get; private set; }
    while (!reader.take('}')) {
      modifiersOf(reader);
      if (!reader.take('get')) reader.expect('set');
      reader.expect(';');
    }
    return [variableOf(name, type, undefined, isStatic)];
  }
  const init = reader.take('=') ? parseExpression(reader) : undefined;
  const variables = [variableOf(name, type, init, isStatic)];
  while (reader.take(','))
    variables.push(
      variableOf(
        reader.name(),
        type,
        reader.take('=') ? parseExpression(reader) : undefined,
        isStatic,
      ),
    );
  reader.expect(';');
  return variables;
}

/** @param {string} name @param {string} type @param {Expression | undefined} init @param {boolean} isStatic @returns {VariableTree} */
function variableOf(name, type, init, isStatic) {
  return { kind: 'variable', name: name.toLowerCase(), type, init, isStatic };
}

/** @param {Reader} reader @returns {Parameter[]} */
function parametersOf(reader) {
  reader.expect('(');
  const parameters = [];
  while (!reader.take(')')) {
    reader.take('final');
    const type = typeOf(reader);
    parameters.push({ name: reader.name().toLowerCase(), type });
    reader.take(',');
  }
  return parameters;
}

/** @param {Reader} reader @returns {Statement} */
function blockOf(reader) {
  const { line } = reader.expect('{');
  const statements = [];
  while (!reader.take('}')) statements.push(statementOf(reader));
  return { kind: 'block', line, statements };
}

/** @type {Record<string, (reader: Reader) => Record<string, unknown>>} after the word that a statement begins with */
const STATEMENTS = {
  if: (reader) => {
    const test = inParentheses(reader);
    const then = statementOf(reader);
    return {
      kind: 'if',
      test,
      then,
      otherwise: reader.take('else') ? statementOf(reader) : undefined,
    };
  },
  return: (reader) => ({ kind: 'return', value: reader.take(';') ? undefined : ended(reader) }),
  throw: (reader) => ({ kind: 'throw', value: ended(reader) }),
  break: (reader) => (reader.expect(';'), { kind: 'break' }),
  continue: (reader) => (reader.expect(';'), { kind: 'continue' }),
  while: (reader) => ({ kind: 'while', test: inParentheses(reader), body: statementOf(reader) }),
  for: forOf,
  try: (reader) => {
    const body = blockOf(reader);
    const catches = [];
    while (reader.take('catch')) {
      reader.expect('(');
      const type = typeOf(reader);
      const name = reader.name().toLowerCase();
      reader.expect(')');
      catches.push({ type, name, body: blockOf(reader) });
    }
    return {
      kind: 'try',
      body,
      catches,
      last: reader.take('finally') ? blockOf(reader) : undefined,
    };
  },
  switch: (reader) => {
    reader.expect('on');
    const value = parseExpression(reader);
    reader.expect('{');
    const cases = [];
    while (!reader.take('}')) {
      reader.expect('when');
      const literals = [];
      if (!reader.take('else'))
        do literals.push(parseExpression(reader));
        while (reader.take(','));
      cases.push({ literals, body: blockOf(reader) });
    }
    return { kind: 'switch', value, cases };
  },
  insert: writeOf('insert'),
  update: writeOf('update'),
  delete: writeOf('delete'),
};

/** @param {string} verb */
function writeOf(verb) {
  return (/** @type {Reader} */ reader) => {
    const asUser = reader.take('as') && reader.name().toLowerCase() === 'user';
    return { kind: 'write', verb, asUser, value: ended(reader) };
  };
}

/** @param {Reader} reader @returns {Statement} */
function statementOf(reader) {
  const { line, low, kind } = reader.peek();
  if (reader.is('{')) return blockOf(reader);
  const read = kind === 'name' ? STATEMENTS[low] : undefined;
  // `update.x` or `delete = 1` would be a variable; ours have none of these names.
  if (read !== undefined) {
    reader.next();
    return { line, .../** @type {Statement} */ (read(reader)) };
  }
  if (low === 'system' && reader.is('.', 1) && reader.is('runas', 2)) {
    for (let i = 0; i < 3; i += 1) reader.next();
    return { kind: 'runas', line, user: inParentheses(reader), body: blockOf(reader) };
  }
  const local = localOf(reader);
  if (local !== undefined) {
    reader.expect(';');
    return local;
  }
  return { kind: 'expression', line, value: ended(reader) };
}

/** A type and a name begin a declaration. @param {Reader} reader @returns {Statement | undefined} */
function localOf(reader) {
  const { line } = reader.peek();
  reader.take('final');
  const begun = reader.guess(() => {
    const type = typeOf(reader);
    const name = reader.name();
    return /^[=;,:]$/.test(reader.peek().low) ? { type, name } : undefined;
  });
  if (begun === undefined) return undefined;
  const variables = [];
  for (let { name } = begun; ; name = reader.name()) {
    const init = reader.take('=') ? parseExpression(reader) : undefined;
    variables.push({ name: name.toLowerCase(), init });
    if (!reader.take(',')) return { kind: 'local', line, type: begun.type, variables };
  }
}

/** @param {Reader} reader */
function forOf(reader) {
  reader.expect('(');
  const init = reader.is(';') ? undefined : localOf(reader);
  if (init !== undefined && reader.take(':')) {
    const items = parseExpression(reader);
    reader.expect(')');
    const [{ name }] = init['variables'];
    return { kind: 'each', name, type: init['type'], items, body: statementOf(reader) };
  }
  reader.expect(';');
  const test = reader.is(';') ? undefined : parseExpression(reader);
  reader.expect(';');
  const step = reader.is(')') ? undefined : parseExpression(reader);
  reader.expect(')');
  return { kind: 'for', init, test, step, body: statementOf(reader) };
}

/** @param {Reader} reader */
function inParentheses(reader) {
  reader.expect('(');
  const value = parseExpression(reader);
  reader.expect(')');
  return value;
}

/** @param {Reader} reader */
function ended(reader) {
  const value = parseExpression(reader);
  reader.expect(';');
  return value;
}
