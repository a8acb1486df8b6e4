// The project's metadata: XML as trees, objects with their fields.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SaxesParser } from 'saxes';
import { filesBelow } from './project.mjs';

/**
 * @typedef {{ name: string, text: string, children: Element[] }} Element
 * @typedef {{ name: string, type: string, required: boolean, referenceTo: string[], relationshipName: string, element: Element }} Field
 * @typedef {Map<string, Map<string, Field>>} Objects
 */

export const NAMESPACE = 'http://soap.sforce.com/2006/04/metadata';

/** Throws what is wrong with it. @param {string} path @returns {Element} */
export function readXml(path) {
  return parseXml(readFileSync(path, 'utf8'));
}

/** @param {string} source @returns {Element} */
export function parseXml(source) {
  const parser = new SaxesParser({ xmlns: true });
  /** @type {Element} */
  const top = { name: '', text: '', children: [] };
  const open = [top];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, uri }) => {
    if (uri !== NAMESPACE) throw new Error(`<${name}> is not in the metadata namespace.`);
    const element = { name, text: '', children: [] };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  });
  parser.on('closetag', () => {
    const element = open.pop();
    if (element !== undefined) element.text = element.text.trim();
  });
  parser.write(source).close();
  const [root] = top.children;
  if (root === undefined) throw new Error('It is empty.');
  return root;
}

/** @param {Element | undefined} element @param {string} name */
export function textsOf(element, name) {
  return (element?.children ?? []).filter((child) => child.name === name).map(({ text }) => text);
}

/** @param {Element | undefined} element @param {string} name */
export function textOf(element, name) {
  return textsOf(element, name)[0] ?? '';
}

/** @param {Element} element @param {string} name @returns {Element[]} */
export function descendants(element, name) {
  return element.children.flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...descendants(child, name),
  ]);
}

/** @param {string} source the folder force-app/main/default @returns {Objects} */
export function readObjects(source) {
  const folder = join(source, 'objects');
  return new Map(
    readdirSync(folder).map((object) => {
      const fields = join(folder, object, 'fields');
      const paths = existsSync(fields) ? filesBelow(fields) : [];
      return [object, new Map(paths.map(readField).map((field) => [field.name, field]))];
    }),
  );
}

/** @param {string} path @returns {Field} */
function readField(path) {
  const element = readXml(path);
  return {
    name: basename(path).replace('.field-meta.xml', ''),
    type: textOf(element, 'type'),
    required: textOf(element, 'required') === 'true',
    referenceTo: textsOf(element, 'referenceTo'),
    relationshipName: textOf(element, 'relationshipName'),
    element,
  };
}

/** The names of the components in a folder. @param {string} source @param {string} folder @param {string} ending */
export function componentsIn(source, folder, ending) {
  const path = join(source, folder);
  return existsSync(path)
    ? readdirSync(path)
        .filter((name) => name.endsWith(ending))
        .map((name) => name.slice(0, name.length - ending.length))
    : [];
}
