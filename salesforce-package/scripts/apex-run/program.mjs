// Classes and triggers as the interpreter needs them: names in lower case, because Apex is case-insensitive.
// Read and compiled once; each transaction has statics and records of its own (run.mjs).

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseClass, parseTrigger } from './parser.mjs';

/**
 * @typedef {import('./parser.mjs').ClassTree} ClassTree
 * @typedef {import('./parser.mjs').Statement} Statement
 * @typedef {import('./parser.mjs').Parameter} Parameter
 * @typedef {{ place: string, line: number, isTest: boolean, runs: number }} Mark how often a statement ran
 * @typedef {{ size: number, run: (frame: import('./run.mjs').Frame) => unknown }} Code
 * @typedef {{ name: string, cls: Class, isStatic: boolean, parameters: Parameter[], type: string, body: Statement | undefined, annotations: string[], code?: Code }} Method
 * @typedef {{ name: string, type: string, init: import('./parse-expression.mjs').Expression | undefined, code?: Code }} Variable
 * @typedef {object} Class
 * @property {string} name as written, with its outer class: DocgenQueue.Lease
 * @property {Program} program
 * @property {Class | undefined} outer
 * @property {string} superName in lower case, '' if none
 * @property {string[]} interfaces in lower case
 * @property {'with' | 'without' | ''} sharing
 * @property {boolean} isTest
 * @property {Variable[]} fields
 * @property {Variable[]} statics
 * @property {Map<string, Method[]>} methods
 * @property {Method[]} constructors
 * @property {Map<string, Class>} inner
 * @property {string} mapping of a REST class, /millrace/v1/*; '' if it is none
 *
 * @typedef {{ name: string, object: string, events: string[], method: Method }} Trigger
 * @typedef {{ classes: Map<string, Class>, triggers: Trigger[], marks: Mark[] }} Program
 */

/** @param {string} source force-app/main/default @param {{ withTests?: boolean }} [options] @returns {Program} */
export function loadProgram(source, { withTests = true } = {}) {
  /** @type {Program} */
  const program = { classes: new Map(), triggers: [], marks: [] };
  for (const { path, text } of sourcesIn(join(source, 'classes'), '.cls')) {
    if (!withTests && /^\s*@IsTest/im.test(text)) continue;
    read(path, () => addClass(program, text));
  }
  for (const { path, text } of sourcesIn(join(source, 'triggers'), '.trigger')) {
    const { name, object, events, body } = read(path, () => parseTrigger(text));
    const cls = emptyClass(name, program, undefined);
    const method = {
      name,
      cls,
      isStatic: true,
      parameters: [],
      type: 'void',
      body,
      annotations: [],
    };
    program.triggers.push({ name, object: object.toLowerCase(), events, method });
  }
  return program;
}

/** @param {Program} program @param {string} text @returns {Class} */
export function addClass(program, text) {
  const cls = classOf(treeOf(text), program, undefined);
  program.classes.set(cls.name.toLowerCase(), cls);
  return cls;
}

/**
 * Trees of classes by their text: nothing changes one, and an org of a test is made of the same classes as the last (0.2 s to parse).
 *
 * @type {Map<string, ClassTree>}
 */
const trees = new Map();

/** @param {string} text */
function treeOf(text) {
  const tree = trees.get(text) ?? parseClass(text);
  trees.set(text, tree);
  return tree;
}

/** @param {string} folder @param {string} ending */
function sourcesIn(folder, ending) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .toSorted()
    .map((name) => ({ path: join(folder, name), text: readFileSync(join(folder, name), 'utf8') }));
}

/** @template T @param {string} path @param {() => T} parse */
function read(path, parse) {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Error(`${basename(path)} cannot be run: ${error.message}`, { cause: error });
  }
}

/** @param {string} name @param {Program} program @param {Class | undefined} outer @returns {Class} */
function emptyClass(name, program, outer) {
  return {
    name,
    program,
    outer,
    superName: '',
    interfaces: [],
    sharing: '',
    isTest: false,
    fields: [],
    statics: [],
    methods: new Map(),
    constructors: [],
    inner: new Map(),
    mapping: '',
  };
}

/** @param {ClassTree} tree @param {Program} program @param {Class | undefined} outer @returns {Class} */
function classOf(tree, program, outer) {
  const cls = emptyClass(
    outer === undefined ? tree.name : `${outer.name}.${tree.name}`,
    program,
    outer,
  );
  cls.superName = tree.superName;
  cls.mapping = tree.mapping;
  cls.interfaces = tree.interfaces;
  if (tree.modifiers.includes('sharing'))
    cls.sharing = tree.modifiers.includes('without') ? 'without' : 'with';
  cls.isTest = tree.annotations.includes('istest') || outer?.isTest === true;
  for (const member of tree.members) {
    if (member.kind === 'class') {
      cls.inner.set(member.name.toLowerCase(), classOf(member, program, cls));
    } else if (member.kind === 'variable') {
      const { name, type, init, isStatic } = member;
      (isStatic ? cls.statics : cls.fields).push({ name, type, init });
    } else {
      const { name, type, isStatic, parameters, body, annotations } = member;
      const method = { name, cls, isStatic, parameters, type, body, annotations };
      const key = name.toLowerCase();
      if (member.isConstructor) cls.constructors.push(method);
      else cls.methods.set(key, [...(cls.methods.get(key) ?? []), method]);
    }
  }
  return cls;
}

/** Every class with its inner ones. @param {Program} program @returns {Class[]} */
export function allClasses({ classes }) {
  return [...classes.values()].flatMap((cls) => [cls, ...cls.inner.values()]);
}

/** @param {Program} program @param {string} name in lower case @param {Class | undefined} from @returns {Class | undefined} */
export function findClass(program, name, from) {
  for (let cls = from; cls !== undefined; cls = cls.outer) {
    const inner = cls.inner.get(name);
    if (inner !== undefined) return inner;
  }
  const [outer = '', inner] = name.split('.');
  const top = program.classes.get(outer);
  return inner === undefined ? top : top?.inner.get(inner);
}
