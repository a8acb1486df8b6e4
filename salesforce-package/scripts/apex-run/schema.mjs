// The objects of the org: ours from the metadata, beside the standard ones.

import { readObjects, textOf } from '../lib/metadata.mjs';
import { SYSTEM, objectOf, standardObjects } from './standard.mjs';

/** @typedef {import('./standard.mjs').Field} Field */
/** @typedef {import('./standard.mjs').ObjectType} ObjectType */

const PREFIXES = {
  Generated_Document__c: 'a00',
  Docgen_Template__c: 'a01',
  Docgen_Lease__c: 'a02',
  Docgen_Wakeup__e: 'e00',
};
const TYPES = {
  Text: 'STRING',
  LongTextArea: 'TEXTAREA',
  Number: 'DOUBLE',
  Picklist: 'PICKLIST',
  Lookup: 'REFERENCE',
  Checkbox: 'BOOLEAN',
  DateTime: 'DATETIME',
};
/** @param {string} source force-app/main/default @returns {Map<string, ObjectType>} by name in lower case */
export function loadSchema(source) {
  const schema = standardObjects();
  for (const [name, fields] of readObjects(source)) {
    const known = schema.get(name.toLowerCase());
    const object =
      known ??
      objectOf(schema, name, PREFIXES[/** @type {keyof typeof PREFIXES} */ (name)] ?? 'a99', [
        'Name',
        'OwnerId>User|Group.Owner',
        ...SYSTEM.split(' '),
      ]);
    schema.set(name.toLowerCase(), object);
    for (const {
      name: field,
      type,
      element,
      required,
      referenceTo,
      relationshipName,
    } of fields.values()) {
      object.fields.set(field.toLowerCase(), {
        name: field,
        type: TYPES[/** @type {keyof typeof TYPES} */ (type)],
        scale: Number(textOf(element, 'scale') || 0),
        length: Number(textOf(element, 'length') || 0),
        required,
        writable: true,
        unique: textOf(element, 'unique') === 'true',
        caseSensitive: textOf(element, 'caseSensitive') === 'true',
        targets: referenceTo,
        relationship: referenceTo.length > 0 ? field.replace(/__c$/, '__r') : '',
        values: element.children
          .flatMap(({ children }) => children)
          .flatMap(({ children }) => children)
          .filter(({ name: part }) => part === 'value')
          .map((value) => textOf(value, 'fullName')),
        initial: initialOf(type, textOf(element, 'defaultValue')),
      });
      for (const target of referenceTo)
        addChild(schema, target, relationshipName && `${relationshipName}__r`, name, field);
    }
  }
  for (const object of schema.values()) linkChildren(schema, object);
  return schema;
}

/** @param {string} type @param {string} text */
function initialOf(type, text) {
  if (type === 'Checkbox') return text === 'true';
  if (type === 'Text') return /^"(.*)"$/.exec(text)?.[1] ?? null;
  return type === 'Number' && text !== '' ? Number(text) : null;
}

/** @param {Map<string, ObjectType>} schema @param {ObjectType} object */
function linkChildren(schema, object) {
  for (const field of object.fields.values()) {
    const { list } = /** @type {Field & { list?: string }} */ (field);
    if (list !== undefined)
      for (const target of field.targets) addChild(schema, target, list, object.name, field.name);
  }
}

/** @param {Map<string, ObjectType>} schema @param {string} target @param {string} name @param {string} object @param {string} field */
function addChild(schema, target, name, object, field) {
  if (name !== '') schema.get(target.toLowerCase())?.children.push({ name, object, field });
}
