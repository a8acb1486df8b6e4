// Every metadata file as Salesforce's own schema has it: its elements, how often each may stand, what it may say. The schema
// is the WSDL of the Metadata API, which Salesforce publishes as `@salesforce/types`.

import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { connectionFiles } from '../connection.mjs';
import { parseXml, readXml } from '../lib/metadata.mjs';
import { filesBelow, toolsRoot } from '../lib/project.mjs';

/**
 * @typedef {import('../lib/metadata.mjs').Element} Element
 * @typedef {{ type: string, isList: boolean, isOptional: boolean }} Member
 * @typedef {{ base: string | undefined, members: Map<string, Member> }} Shape
 * @typedef {{ shapes: Map<string, Shape>, enums: Map<string, Set<string>> }} Schema
 */

const PATH = join(toolsRoot, 'node_modules/@salesforce/types/lib/metadata.d.ts');

/** @type {Record<string, RegExp>} */
const SCALARS = {
  boolean: /^(true|false)$/,
  number: /^-?\d+(\.\d+)?$/,
};
/** The WSDL calls it a text; it is XML of the component's own. */
const FREE = 'targetConfigs';

/** @param {string} source force-app/main/default @returns {{ problems: string[], note: string }} */
export function shapes(source) {
  const schema = readSchema(readFileSync(PATH, 'utf8'));
  const files = filesBelow(source).filter((path) => path.endsWith('.xml'));
  const problems = files.flatMap((path) => {
    const root = readXml(path);
    return faultsOf(schema, root, root.name).map((fault) => `${relative(source, path)} ${fault}`);
  });
  const connection = connectionFiles({
    service: 'https://docgen.acme.com',
    tenant: '11111111-2222-3333-4444-555555555555',
    scope: 'api://docgen/.default',
  });
  for (const [path, text] of Object.entries(connection)) {
    const root = parseXml(text);
    problems.push(...faultsOf(schema, root, root.name).map((fault) => `${path} ${fault}`));
  }
  return { problems, note: `${files.length + Object.keys(connection).length} files` };
}

/** @param {string} text @returns {Schema} */
function readSchema(text) {
  /** @type {Schema} */
  const schema = { shapes: new Map(), enums: new Map() };
  for (const [, name = '', base, body = ''] of text.matchAll(
    /^export type (\w+) = (?:(\w+) & )?\{\n([^]*?)^\};/gm,
  )) {
    const members = [...body.matchAll(/^ {4}(\w+)(\?)?: (\w+)(\[\])?;/gm)].map(
      ([, member = '', optional, type = '', list]) =>
        /** @type {[string, Member]} */ ([
          member,
          { type, isList: list !== undefined, isOptional: optional !== undefined },
        ]),
    );
    schema.shapes.set(name, { base, members: new Map(members) });
  }
  for (const [, name = '', values = ''] of text.matchAll(/^export type (\w+) = ('.*');$/gm))
    schema.enums.set(
      name,
      new Set([...values.matchAll(/'([^']*)'/g)].map(([, each = '']) => each)),
    );
  return schema;
}

/** @param {Schema} schema @param {string} type @returns {Map<string, Member> | undefined} with those of what it extends */
function membersOf(schema, type) {
  const shape = schema.shapes.get(type);
  if (shape === undefined) return undefined;
  const inherited = shape.base === undefined ? [] : (membersOf(schema, shape.base) ?? []);
  return new Map([...inherited, ...shape.members]);
}

/** @param {Schema} schema @param {Element} element @param {string} type @returns {string[]} */
function faultsOf(schema, element, type) {
  const members = membersOf(schema, type);
  if (members === undefined) return [`${type} is no type of metadata.`];
  /** @type {Map<string, number>} */
  const seen = new Map();
  const faults = element.children.flatMap((child) => {
    const member = members.get(child.name);
    if (member === undefined) return [`${type} has no ${child.name}.`];
    const count = (seen.get(child.name) ?? 0) + 1;
    seen.set(child.name, count);
    if (count === 2 && !member.isList) return [`${type}.${child.name} stands there twice.`];
    if (child.name === FREE) return [];
    return valueFaults(schema, child, member.type, `${type}.${child.name}`);
  });
  const missing = [...members]
    .filter(([name, { isList, isOptional }]) => !isList && !isOptional && !seen.has(name))
    .map(([name]) => `${type} has no ${name}, which is required.`);
  return [...faults, ...missing];
}

/** @param {Schema} schema @param {Element} element @param {string} type @param {string} place @returns {string[]} */
function valueFaults(schema, element, type, place) {
  if (schema.shapes.has(type)) return faultsOf(schema, element, type);
  if (element.children.length > 0) return [`${place} is a value, and has elements.`];
  const values = schema.enums.get(type);
  if (values !== undefined && !values.has(element.text))
    return [`${place} is no ${type}: ${element.text}`];
  const form = SCALARS[type];
  return form === undefined || form.test(element.text)
    ? []
    : [`${place} is no ${type}: ${element.text}`];
}
