// XML that is well-formed, complete, and names nothing that is not there.

import { existsSync, readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import {
  componentsIn,
  descendants,
  readObjects,
  readXml,
  textOf,
  textsOf,
} from '../lib/metadata.mjs';
import { differsFromRights } from '../lib/permissions.mjs';
import { filesBelow } from '../lib/project.mjs';

/** @typedef {import('../lib/metadata.mjs').Element} Element @typedef {import('../lib/metadata.mjs').Objects} Objects */

/** What a field of a type must say. */
const NEEDED = {
  Text: ['length'],
  LongTextArea: ['length', 'visibleLines'],
  Number: ['precision', 'scale'],
  Picklist: ['valueSet'],
  Lookup: ['referenceTo', 'relationshipName', 'deleteConstraint'],
  Checkbox: ['defaultValue'],
  DateTime: [],
};
/** Columns of list views that are no fields of ours. */
const STANDARD_COLUMNS = /^(NAME|OWNER\.ALIAS|CREATED_DATE|LAST_UPDATE|CREATEDBY_USER)$/;
const STANDARD_FIELDS = /^(Name|OwnerId|Owner|CreatedById|CreatedBy|CreatedDate|LastModifiedById)$/;

/** @param {string} source force-app/main/default @param {string} apiVersion @returns {string[]} */
export function metadata(source, apiVersion) {
  /** @type {Map<string, Element>} */
  const documents = new Map();
  const problems = [];
  for (const path of filesBelow(source).filter((each) => each.endsWith('.xml'))) {
    try {
      documents.set(relative(source, path), readXml(path));
    } catch (error) {
      problems.push(
        `${relative(source, path)} ${error instanceof Error ? error.message : 'cannot be read.'}`,
      );
    }
  }
  if (problems.length > 0) return problems;
  const objects = readObjects(source);
  return [
    ...companions(source, documents, apiVersion),
    ...fields(objects),
    ...references(source, documents, objects),
    ...permissionSets(source, documents, objects),
    ...differsFromRights(source),
    ...settings(documents),
  ];
}

/** What an installation sets itself would be put back by the next deployment (scripts/connection.mjs). @param {Map<string, Element>} documents */
function settings(documents) {
  return [...documents.keys()]
    .filter((path) => /^(namedCredentials|externalCredentials)\//.test(path))
    .map(
      (path) => `${path} would overwrite what the org has set. Write it by scripts/connection.mjs.`,
    );
}

/** @param {string} source @param {Map<string, Element>} documents @param {string} apiVersion */
function companions(source, documents, apiVersion) {
  const files = filesBelow(source).map((path) => relative(source, path));
  const needed = files
    .filter((path) => /\.(cls|trigger)$/.test(path))
    .map((path) => `${path}-meta.xml`);
  const bundles = readdirSyncOrNone(join(source, 'lwc')).map(
    (name) => `lwc/${name}/${name}.js-meta.xml`,
  );
  const missing = [...needed, ...bundles].filter((path) => !documents.has(path));
  const orphans = files.filter(
    (path) =>
      /\.(cls|trigger)-meta\.xml$/.test(path) && !files.includes(path.replace('-meta.xml', '')),
  );
  const versions = [...documents].filter(([path]) => /\.(cls|trigger|js)-meta\.xml$/.test(path));
  return [
    ...missing.map((path) => `${path} is missing.`),
    ...orphans.map((path) => `${path} describes a file that is not there.`),
    ...versions
      .filter(([, root]) => textOf(root, 'apiVersion') !== apiVersion)
      .map(
        ([path, root]) =>
          `${path} has API version ${textOf(root, 'apiVersion')}; the project has ${apiVersion}.`,
      ),
  ];
}

/** @param {string} folder */
function readdirSyncOrNone(folder) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('_'))
    .map(({ name }) => name);
}

/** @param {Objects} objects */
function fields(objects) {
  return [...objects].flatMap(([object, each]) =>
    [...each.values()].flatMap(({ name, type, element }) => {
      const needed = NEEDED[/** @type {keyof typeof NEEDED} */ (type)];
      if (needed === undefined)
        return [`${object}.${name} has the type ${type}, which the checks do not know.`];
      return [
        ...(textOf(element, 'fullName') === name
          ? []
          : [`${object}.${name} is called ${textOf(element, 'fullName')} inside.`]),
        ...['label', ...needed]
          .filter((part) => !element.children.some((child) => child.name === part))
          .map((part) => `${object}.${name} has no <${part}>.`),
      ];
    }),
  );
}

/** @param {string} source @param {Map<string, Element>} documents @param {Objects} objects */
function references(source, documents, objects) {
  const tabs = componentsIn(source, 'tabs', '.tab-meta.xml');
  /** @param {string} object @param {string} name */
  const has = (object, name) => objects.get(object)?.has(name) === true;
  return [...documents].flatMap(([path, root]) => {
    const [folder = '', object = ''] = path.split('/');
    const missing = [];
    if (folder === 'objects' && path.includes('/listViews/')) {
      const columns = [
        ...textsOf(root, 'columns'),
        ...descendants(root, 'field').map(({ text }) => text),
      ];
      missing.push(...columns.filter((name) => !STANDARD_COLUMNS.test(name) && !has(object, name)));
    }
    if (folder === 'layouts') {
      const [owner = ''] = basename(path).split('-');
      const names = descendants(root, 'layoutItems').map((item) => textOf(item, 'field'));
      missing.push(...names.filter((name) => !STANDARD_FIELDS.test(name) && !has(owner, name)));
    }
    if (folder === 'reportTypes') {
      const columns = descendants(root, 'columns').map((column) => [
        textOf(column, 'table'),
        textOf(column, 'field'),
      ]);
      missing.push(
        ...columns
          .filter(([table = '', name = '']) => !STANDARD_FIELDS.test(name) && !has(table, name))
          .map((column) => column.join('.')),
      );
    }
    if (folder === 'tabs')
      missing.push(...[basename(path, '.tab-meta.xml')].filter((name) => !objects.has(name)));
    if (folder === 'applications')
      missing.push(...textsOf(root, 'tabs').filter((name) => !tabs.includes(name)));
    if (folder === 'objects')
      missing.push(
        ...textsOf(root, 'referenceTo').filter(
          (name) => name.endsWith('__c') && !objects.has(name),
        ),
      );
    return [
      ...missing.map((name) => `${path} names ${name}, which is not there.`),
      ...(folder === 'layouts' ? notOnLayout(objects, path, root) : []),
    ];
  });
}

/** A field that the layout lacks is seen by nobody. @param {Objects} objects @param {string} path @param {Element} root */
function notOnLayout(objects, path, root) {
  const [owner = ''] = basename(path).split('-');
  const names = descendants(root, 'layoutItems').map((item) => textOf(item, 'field'));
  return [...(objects.get(owner)?.keys() ?? [])]
    .filter((name) => !names.includes(name))
    .map((name) => `${path} has no place for ${name}.`);
}

/** @param {string} source @param {Map<string, Element>} documents @param {Objects} objects */
function permissionSets(source, documents, objects) {
  const known = {
    apexClass: componentsIn(source, 'classes', '.cls'),
    application: componentsIn(source, 'applications', '.app-meta.xml'),
    tab: componentsIn(source, 'tabs', '.tab-meta.xml'),
    name: componentsIn(source, 'customPermissions', '.customPermission-meta.xml'),
  };
  return [...documents]
    .filter(([path]) => path.startsWith('permissionsets/'))
    .flatMap(([path, root]) => {
      const named = Object.entries(known).flatMap(([part, names]) =>
        root.children
          .filter(({ name }) => name !== 'userPermissions')
          .flatMap((child) => textsOf(child, part))
          .filter((text) => !names.includes(text)),
      );
      return [
        ...named.map((name) => `${path} names ${name}, which is not there.`),
        ...fieldPermissions(path, root, objects),
      ];
    });
}

/** Field permissions: a permission set that grants an object lists every field of it, yes or no, except required ones. */
function fieldPermissions(
  /** @type {string} */ path,
  /** @type {Element} */ root,
  /** @type {Objects} */ objects,
) {
  const said = descendants(root, 'fieldPermissions').map((each) => textOf(each, 'field'));
  const seen = descendants(root, 'objectPermissions').map((each) => textOf(each, 'object'));
  const custom = seen.filter((object) => object.endsWith('__c'));
  const mine = new Set([...custom, ...said.map((field) => field.split('.')[0] ?? '')]);
  const wanted = [...mine].flatMap((object) =>
    [...(objects.get(object)?.values() ?? [])]
      .filter(({ required }) => !required)
      .map(({ name }) => `${object}.${name}`),
  );
  return [
    ...seen
      .filter((object) => /__[ce]$/.test(object) && !objects.has(object))
      .map((object) => `${path} names ${object}, which is not there.`),
    ...wanted
      .filter((field) => !said.includes(field))
      .map((field) => `${path} says nothing of ${field}.`),
    ...said
      .filter((field) => !wanted.includes(field))
      .map((field) => `${path} names ${field}, which is not there or is required.`),
    ...said
      .filter((field, i) => said.indexOf(field) !== i)
      .map((field) => `${path} names ${field} twice.`),
  ];
}
