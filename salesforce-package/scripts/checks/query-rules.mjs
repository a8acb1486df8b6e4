// Checks the access mode of each query, and whether an index supports it. A query is in user mode, or the line above its statement says
// why not (// rights: …); one over the documents, which are never deleted, filters by an indexed field, or says why it
// may read them all (// scan: …).

import { findAll } from '../lib/apex-tree.mjs';
import { readObjects, textOf } from '../lib/metadata.mjs';

/** @typedef {import('../lib/apex-tree.mjs').ApexFile} ApexFile @typedef {import('../lib/apex-tree.mjs').Node} Node */

const LARGE = 'Generated_Document__c';
/** Indexed by the platform itself. */
const ALWAYS_INDEXED = ['Id', 'Name', 'OwnerId', 'CreatedDate', 'SystemModstamp'];
const DYNAMIC =
  /^Database\.(query|queryWithBinds|countQuery|getQueryLocator|getQueryLocatorWithBinds)\(/i;
/** How far above the query its reason may stand: the statement may have a few lines before it. */
const LINES_ABOVE = 4;

/** @param {ApexFile[]} files without tests @param {string} source force-app/main/default @returns {string[]} */
export function queryRules(files, source) {
  const filtered = new RegExp(`\\b(${indexedFields(source).join('|')})(=|IN[:(])`, 'i');
  return files.flatMap(({ name, tree, lines }) =>
    queriesOf(tree).flatMap(({ line, text, isUserMode }) => [
      ...(isUserMode || hasReason(lines, line, 'rights')
        ? []
        : [
            `${name}:${line} A query that is not in user mode. If it must be, say why: // rights: …`,
          ]),
      ...(!text.includes(`FROM${LARGE}`) ||
      filtered.test(whereOf(text)) ||
      hasReason(lines, line, 'scan')
        ? []
        : [
            `${name}:${line} A query over all documents: filter by an indexed field, or say why: // scan: …`,
          ]),
    ]),
  );
}

/** Without spaces. @param {Node} tree @returns {{ line: number, text: string, isUserMode: boolean }[]} */
function queriesOf(tree) {
  const written = findAll(tree, 'soqlLiteral').map(({ line, text }) => ({
    line,
    text,
    isUserMode: /WITHUSER_MODE/i.test(text),
  }));
  // The text of a dynamic query may be made in the lines before the call: the whole method is looked at.
  const made = findAll(tree, 'methodDeclaration').flatMap((method) =>
    findAll(method, 'expression')
      .filter(({ text }) => DYNAMIC.test(text))
      .map(({ line, text }) => ({
        line,
        text: joined(method.text),
        isUserMode: /AccessLevel\.USER_MODE/i.test(text),
      })),
  );
  return [...written, ...made];
}

/** The parts of a text that is put together, as one, without spaces. @param {string} text */
function joined(text) {
  return text.replace(/'\+'/g, '').replace(/\s/g, '');
}

/** @param {string} text */
function whereOf(text) {
  return ` ${text.slice(Math.max(0, text.search(/WHERE/i)) + 5).replace(/(AND|OR|\()/g, '$1 ')}`;
}

/** @param {string[]} lines @param {number} line @param {string} word */
function hasReason(lines, line, word) {
  return lines
    .slice(Math.max(0, line - 1 - LINES_ABOVE), line)
    .some((each) => new RegExp(`// ${word}: \\S`).test(each));
}

/** External ids, unique fields and lookups have an index. @param {string} source */
function indexedFields(source) {
  const fields = readObjects(source).get(LARGE);
  return [
    ...ALWAYS_INDEXED,
    ...[...(fields?.values() ?? [])]
      .filter(
        ({ element, type }) =>
          type === 'Lookup' ||
          textOf(element, 'externalId') === 'true' ||
          textOf(element, 'unique') === 'true',
      )
      .map(({ name }) => name),
  ];
}
