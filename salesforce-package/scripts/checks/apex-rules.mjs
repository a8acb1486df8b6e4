// What neither the parser nor the type checker finds: ORDER BY with FOR UPDATE, queries and writes in loops, tests
// that assert nothing, classes that do not say whose rights they use, and words that are newer than our API version.

import { childOf, findAll, nodesOf } from '../lib/apex-tree.mjs';

/** @typedef {import('../lib/apex-tree.mjs').ApexFile} ApexFile @typedef {import('../lib/apex-tree.mjs').Node} Node */

const LOOPS = ['forStatement', 'whileStatement', 'doWhileStatement'];
const WRITES = [
  'insertStatement',
  'updateStatement',
  'deleteStatement',
  'upsertStatement',
  'undeleteStatement',
  'mergeStatement',
];
const LIMITED =
  /^(Database\.(insert|update|delete|upsert|undelete|merge|query|queryWithBinds|countQuery|getQueryLocator|getQueryLocatorWithBinds)|EventBus\.publish|System\.enqueueJob|Messaging\.sendEmail)\(/i;
/** A loop that is meant: the reason stands on the line before. */
const MEANT = /\/\/ check: \S/;
const NEWER = [
  { pattern: /\?\?/, what: 'the operator ??', since: 60 },
  { pattern: /\bUUID\./i, what: 'UUID', since: 60 },
];

/** @param {ApexFile[]} files @param {string} apiVersion @returns {string[]} */
export function apexRules(files, apiVersion) {
  const touching = methodsThatTouch(files);
  return files.flatMap((file) => [
    ...lockOrder(file),
    ...(isTest(file) ? [] : loops(file, touching)),
    ...assertions(file),
    ...sharing(file),
    ...newerWords(file, Number(apiVersion)),
  ]);
}

/** @param {ApexFile} file */
export function isTest({ tree }) {
  return annotationsOf(tree.children[0] ?? tree).includes('istest');
}

/** The platform refuses it when it is deployed; in a text, only when it runs. @param {ApexFile} file */
function lockOrder({ name, tree }) {
  const queries = findAll(tree, 'query')
    .filter(
      (query) =>
        childOf(query, 'orderByClause') &&
        /FORUPDATE/i.test(childOf(query, 'forClauses')?.text ?? ''),
    )
    .map(
      ({ line }) => `${name}:${line} ORDER BY together with FOR UPDATE is refused by Salesforce.`,
    );
  const texts = findAll(tree, 'literal')
    .filter(({ text }) => text.startsWith("'") && /\bFOR UPDATE\b/i.test(text))
    .map(
      ({ line }) =>
        `${name}:${line} FOR UPDATE in a text: write the query as SOQL, so that it can be checked.`,
    );
  return [...queries, ...texts];
}

/** @param {ApexFile} file @param {Set<string>} touching */
function loops({ name, tree, lines }, touching) {
  return findAll(tree, ...LOOPS).flatMap((loop) => {
    const body = loop.children.filter(({ rule }) => rule === 'statement' || rule === 'block');
    return body
      .flatMap((part) => [...nodesOf(part)])
      .filter((node) => touches(node, name, touching))
      .filter(({ line }) => !MEANT.test(lines[line - 2] ?? ''))
      .map(
        ({ line }) =>
          `${name}:${line} A query or a write inside a loop. If it must be, say why: // check: …`,
      );
  });
}

/** @param {Node} node @param {string} className @param {Set<string>} touching */
function touches(node, className, touching) {
  if (node.rule === 'soqlLiteral' || node.rule === 'soslLiteral' || WRITES.includes(node.rule))
    return true;
  if (node.rule !== 'expression') return false;
  const call = calledMethod(node);
  if (call === undefined) return false;
  return (
    LIMITED.test(node.text) ||
    touching.has(call.includes('.') ? call : `${className}.${call}`.toLowerCase())
  );
}

/** `name` or `type.name` of a call, in lower case. @param {Node} node */
function calledMethod(node) {
  const [first, second, third] = node.children;
  if (first?.rule === 'methodCall') return first.children[0]?.text.toLowerCase();
  if (second?.text === '.' && third?.rule === 'dotMethodCall')
    return `${first?.text}.${third.children[0]?.text}`.toLowerCase();
  return undefined;
}

/** Methods that query or write, themselves or by calling others of ours. @param {ApexFile[]} files */
function methodsThatTouch(files) {
  /** @type {Map<string, { name: string, body: Node }[]>} */
  const methods = new Map();
  for (const { name, tree } of files) {
    for (const method of findAll(tree, 'methodDeclaration')) {
      const key = `${name}.${childOf(method, 'id')?.text}`.toLowerCase();
      methods.set(key, [...(methods.get(key) ?? []), { name, body: method }]);
    }
  }
  /** @type {Set<string>} */
  const touching = new Set();
  for (let grown = true; grown;) {
    grown = false;
    for (const [key, bodies] of methods) {
      if (touching.has(key)) continue;
      if (
        !bodies.some(({ name, body }) =>
          [...nodesOf(body)].some((node) => touches(node, name, touching)),
        )
      )
        continue;
      touching.add(key);
      grown = true;
    }
  }
  return touching;
}

/** @param {ApexFile} file */
function assertions(file) {
  if (!isTest(file)) return [];
  const { name, tree } = file;
  /** @type {Map<string, Node>} */
  const methods = new Map();
  for (const method of findAll(tree, 'methodDeclaration'))
    methods.set(childOf(method, 'id')?.text.toLowerCase() ?? '', method);
  const tests = findAll(tree, 'classBodyDeclaration').filter(
    (member) =>
      annotationsOf(member).includes('istest') && findAll(member, 'methodDeclaration').length > 0,
  );
  return tests
    .filter((test) => !asserts(test, methods, new Set()))
    .map(({ line }) => `${name}:${line} A test that asserts nothing.`);
}

/** @param {Node} node @param {Map<string, Node>} methods @param {Set<string>} seen @returns {boolean} */
function asserts(node, methods, seen) {
  return [...nodesOf(node)].some((each) => {
    if (each.rule !== 'expression') return false;
    if (/^(System\.)?assert(\.\w+|equals|notequals)?\(/i.test(each.text)) return true;
    const call = calledMethod(each) ?? '';
    const helper = methods.get(call);
    if (helper === undefined || seen.has(call)) return false;
    return asserts(helper, methods, seen.add(call));
  });
}

/** @param {ApexFile} file */
function sharing(file) {
  const { name, tree, lines, isTrigger } = file;
  if (isTrigger || isTest(file)) return [];
  const declaration = tree.children[0];
  const modifiers = (declaration?.children ?? [])
    .filter(({ rule }) => rule === 'modifier')
    .map(({ text }) => text.toLowerCase());
  if (modifiers.includes('withoutsharing')) {
    const header = lines
      .slice(
        0,
        lines.findIndex((line) => /\bclass\b/.test(line)),
      )
      .join('\n');
    return /without\s+(\*\s+)?sharing/i.test(header)
      ? []
      : [`${name}:1 Without sharing: the comment above the class must say why.`];
  }
  return modifiers.includes('withsharing') || modifiers.includes('inheritedsharing')
    ? []
    : [`${name}:1 Neither with nor without sharing.`];
}

/** @param {ApexFile} file @param {number} version */
function newerWords({ name, lines }, version) {
  return lines.flatMap((line, i) =>
    NEWER.filter(
      ({ pattern, since }) => since > version && pattern.test(line.replace(/\/\/.*|'[^']*'/g, '')),
    ).map(
      ({ what, since }) => `${name}:${i + 1} Uses ${what}, which came with API version ${since}.`,
    ),
  );
}

/** @param {Node} declaration */
function annotationsOf(declaration) {
  return declaration.children
    .filter(({ rule }) => rule === 'modifier' || rule === 'annotation')
    .flatMap((modifier) => findAll(modifier, 'annotation'))
    .map((annotation) => (annotation.children[1]?.text ?? '').toLowerCase());
}
