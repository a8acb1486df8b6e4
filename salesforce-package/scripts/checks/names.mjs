// Every object, field, relationship, class, label and credential that Apex or a component names exists.

import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { childOf, findAll, nodesOf } from '../lib/apex-tree.mjs';
import { componentsIn, descendants, readObjects, readXml, textOf } from '../lib/metadata.mjs';
import { NAMED_CREDENTIAL } from '../connection.mjs';
import { filesBelow } from '../lib/project.mjs';

/**
 * @typedef {import('../lib/apex-tree.mjs').ApexFile} ApexFile
 * @typedef {import('../lib/apex-tree.mjs').Node} Node
 * @typedef {import('../lib/metadata.mjs').Objects} Objects
 */

const CUSTOM = /\b[A-Za-z]\w*?__(?:c|e|r|Share)\b/g;

/** @param {string} source @param {ApexFile[]} files @returns {string[]} */
export function names(source, files) {
  const objects = readObjects(source);
  const known = knownNames(objects);
  return [
    ...files.flatMap((file) => [
      ...words(file, known),
      ...findAll(file.tree, 'query', 'subQuery').flatMap((query) =>
        queryNames(file, query, objects),
      ),
      ...credentials(file),
    ]),
    ...components(source, files, known),
  ];
}

/** @param {Objects} objects */
function knownNames(objects) {
  const known = new Set(objects.keys());
  for (const [object, fields] of objects) {
    known.add(object.replace(/__c$/, '__Share'));
    for (const { name, referenceTo, relationshipName } of fields.values()) {
      known.add(name);
      if (referenceTo.length > 0) known.add(name.replace(/__c$/, '__r'));
      if (relationshipName !== '') known.add(`${relationshipName}__r`);
    }
  }
  return known;
}

/** Tokens, so comments are left out and texts are not: SOQL may be in them. @param {ApexFile} file @param {Set<string>} known */
function words({ name, tree }, known) {
  return [...nodesOf(tree)]
    .filter(({ rule }) => rule === '')
    .flatMap(({ text, line }) =>
      [...text.matchAll(CUSTOM)]
        .filter(([word]) => !known.has(word))
        .map(([word]) => `${name}:${line} names ${word}, which is not there.`),
    );
}

/** The type checker does not look at the fields of a query. @param {ApexFile} file @param {Node} query @param {Objects} objects */
function queryNames({ name }, query, objects) {
  const target = childOf(query, 'fromNameList')?.text ?? '';
  const fields = objects.get(target);
  if (fields === undefined && target.endsWith('__c'))
    return [`${name}:${query.line} queries ${target}, which is not there.`];
  // For standard objects, only our own fields are known.
  return fieldPaths(query)
    .filter(({ text }) => {
      const [first = '', ...rest] = text.split('.');
      if (first.endsWith('__c')) return fields?.has(first) !== true;
      if (!first.endsWith('__r')) return false;
      const lookup = fields?.get(first.replace(/__r$/, '__c'));
      const [next = ''] = rest;
      return (
        lookup === undefined ||
        (next.endsWith('__c') && objects.get(lookup.referenceTo[0] ?? '')?.has(next) !== true)
      );
    })
    .map(({ text, line }) => `${name}:${line} ${target} has no ${text}.`);
}

/** The field paths of this query, without nested queries and bound expressions. @param {Node} query */
function fieldPaths(query) {
  /** @param {Node} node @returns {Node[]} */
  const below = (node) =>
    node.children.flatMap((child) => {
      if (['subQuery', 'query', 'boundExpression', 'fromNameList'].includes(child.rule)) return [];
      return child.rule === 'fieldName' ? [child] : below(child);
    });
  return below(query);
}

/** @param {ApexFile} file */
function credentials({ name, tree }) {
  return findAll(tree, 'literal').flatMap(({ text, line }) => {
    const called = /^'callout:(\w+)/.exec(text)?.[1];
    return called === undefined || called === NAMED_CREDENTIAL
      ? []
      : [`${name}:${line} calls ${called}, which is not there.`];
  });
}

/** @param {string} source @param {ApexFile[]} files @param {Set<string>} known */
function components(source, files, known) {
  const folder = join(source, 'lwc');
  if (!existsSync(folder)) return [];
  const offered = new Set(files.flatMap(auraMethods));
  const labels = labelNames(source);
  const permissions = componentsIn(source, 'customPermissions', '.customPermission-meta.xml');
  const bundles = componentsIn(source, 'lwc', '');
  /** @type {[RegExp, (name: string) => boolean][]} */
  const imports = [
    [/@salesforce\/apex\/([\w.]+)/g, (name) => offered.has(name)],
    [/@salesforce\/label\/c\.(\w+)/g, (name) => labels.has(name)],
    [/@salesforce\/customPermission\/(\w+)/g, (name) => permissions.includes(name)],
    [/from '(c\/\w+)'/g, (name) => bundles.includes(name.slice(2))],
    [CUSTOM, (name) => known.has(name)],
  ];
  return filesBelow(folder)
    .filter((path) => /\.(js|html|xml)$/.test(path) && !path.includes('__tests__'))
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
      return imports.flatMap(([pattern, exists]) =>
        [...text.matchAll(pattern)]
          .map(([whole, name]) => name ?? whole)
          .filter((name) => !exists(name))
          .map((name) => `${relative(source, path)} names ${name}, which is not there.`),
      );
    });
}

/** @param {ApexFile} file */
function auraMethods({ name, tree }) {
  return findAll(tree, 'classBodyDeclaration')
    .filter((member) =>
      member.children.some(({ rule, text }) => rule === 'modifier' && /^@AuraEnabled/i.test(text)),
    )
    .flatMap((member) => findAll(member, 'methodDeclaration'))
    .map((method) => `${name}.${childOf(method, 'id')?.text}`);
}

/** @param {string} source */
function labelNames(source) {
  const path = join(source, 'labels', 'CustomLabels.labels-meta.xml');
  if (!existsSync(path)) return new Set();
  return new Set(descendants(readXml(path), 'labels').map((label) => textOf(label, 'fullName')));
}
