// Objects of the platform that have methods and members, but no type of their own here: descriptions, requests, results.

import { ApexMap, List } from './values.mjs';

/**
 * @typedef {import('./schema.mjs').ObjectType} ObjectType
 * @typedef {import('./schema.mjs').Field} Field
 */

export class Native {
  /** @param {string} type in lower case @param {Record<string, (...args: any[]) => unknown>} methods @param {Record<string, unknown>} members */
  constructor(type, methods = {}, members = {}, text = type) {
    this.type = type;
    this.methods = methods;
    this.members = members;
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

/** One object for each name, so that `==` can compare them. */
export class EnumValue {
  static known = new Map();

  /** @param {string} name */
  constructor(name) {
    this.name = name;
  }

  /** @param {string} type @param {string} name @returns {EnumValue} */
  static of(type, name) {
    const key = `${type}.${name}`;
    if (!EnumValue.known.has(key)) EnumValue.known.set(key, new EnumValue(name));
    return EnumValue.known.get(key);
  }

  toString() {
    return this.name;
  }
}

/** @type {WeakMap<ObjectType, Native>} */
const tokens = new WeakMap();

/** Descriptions lead to other objects by name. @param {ObjectType} from @param {string} name @returns {ObjectType} */
function findType({ schema }, name) {
  const found = schema.get(name.toLowerCase());
  if (found === undefined) throw new Error(`There is no object ${name}.`);
  return found;
}

/** Account.SObjectType. @param {ObjectType} type @returns {Native} */
export function tokenOf(type) {
  const known = tokens.get(type);
  if (known !== undefined) return known;
  const token = new Native('sobjecttype', { getdescribe: () => describeType(type) }, {}, type.name);
  tokens.set(type, token);
  return token;
}

/** @param {ObjectType} type */
export function describeType(type) {
  const fields = new Native('fields', {
    getmap: () =>
      new ApexMap([...type.fields].map(([name, field]) => [name, fieldToken(type, field)])),
  });
  return new Native(
    'describesobjectresult',
    {
      getname: () => type.name,
      getlabel: () => type.name,
      getsobjecttype: () => tokenOf(type),
      getchildrelationships: () =>
        new List(
          type.children.map(({ name, object, field }) => {
            const child = findType(type, object);
            const lookup = child.fields.get(field.toLowerCase());
            return new Native('childrelationship', {
              getrelationshipname: () => name,
              getchildsobject: () => tokenOf(child),
              getfield: () => lookup && fieldToken(child, lookup),
            });
          }),
        ),
    },
    { fields },
  );
}

/** @param {ObjectType} type @param {Field} field */
function fieldToken(type, field) {
  return new Native('sobjectfield', {
    getdescribe: () =>
      new Native('describefieldresult', {
        getname: () => field.name,
        gettype: () => EnumValue.of('displaytype', field.type),
        getscale: () => field.scale,
        getrelationshipname: () => field.relationship || null,
        getreferenceto: () =>
          new List(
            field.targets.map((target) =>
              target === 'Group'
                ? new Native('sobjecttype', {}, {}, 'Group')
                : tokenOf(findType(type, target)),
            ),
          ),
      }),
  });
}

/** Something with set… and get…, such as HttpRequest. @param {string} type @param {Record<string, (...args: any[]) => unknown>} more */
export function bean(type, more = {}) {
  /** @type {Map<string, unknown>} */
  const values = new Map();
  const methods = new Proxy(more, {
    get(target, name) {
      const given = target[String(name)];
      if (given !== undefined) return given;
      const [, verb, property = ''] = /^(set|get)(\w+)$/.exec(String(name)) ?? [];
      if (verb === 'set') return (/** @type {unknown} */ value) => void values.set(property, value);
      if (verb === 'get') return () => values.get(property) ?? null;
      return undefined;
    },
  });
  return new Native(type, methods);
}
