// Records as Apex holds them, and what it asks of the store that keeps them: the tables of an org of ours (org.mjs), or
// those of a simulated org.

import { ApexError, coerce, textOf } from './values.mjs';

/**
 * @typedef {import('./schema.mjs').ObjectType} ObjectType
 * @typedef {import('./schema.mjs').Field} Field
 * @typedef {any} Row what a store keeps of a record; only the store looks inside
 *
 * @typedef {object} Store
 * @property {Map<string, ObjectType>} schema by name in lower case
 * @property {string} userId
 * @property {string} [standardPricebookId]
 * @property {(name: string) => ObjectType} type
 * @property {(type: ObjectType, name: string) => Field} field
 * @property {(id: string) => ObjectType | undefined} typeOfId
 * @property {(type: ObjectType) => Iterable<Row>} rows
 * @property {(type: ObjectType, id: string) => Row | undefined} byId
 * @property {(row: Row, field: Field) => unknown} read a value of Apex
 * @property {(ids: string[]) => void} lock until the transaction ends
 * @property {(type: ObjectType, values: Map<string, unknown>) => string} insert throws a DmlError
 * @property {(type: ObjectType, id: string, values: Map<string, unknown>) => void} update
 * @property {(type: ObjectType, id: string) => void} delete
 * @property {(type: ObjectType) => Map<string, unknown> | undefined} [ruleUpdate] what a workflow rule writes after a save
 * @property {() => unknown} mark of what is written so far
 * @property {(mark: any) => void} rollbackTo
 * @property {() => number} now
 * @property {(type: ObjectType) => boolean} mayReadObject
 * @property {(type: ObjectType, field: Field) => boolean} mayReadField
 * @property {(kind: string, type: ObjectType, names: string[]) => boolean} mayWrite as the user
 * @property {(type: ObjectType, row: Row) => boolean} maySee
 * @property {(id: string) => boolean} mayEdit
 * @property {(name: string) => boolean} hasPermission a custom one
 * @property {(events: SObject[]) => void} publish
 */

export class SObject {
  /** @param {ObjectType} type @param {Iterable<[string, unknown]>} [values] @param {boolean} [isQueried] a query has read them, and no others */
  constructor(type, values = [], isQueried = false) {
    this.type = type;
    this.values = new Map(values);
    this.isQueried = isQueried;
    /** What a field has that is not in `values`; a trigger's records have all of them. @type {((name: string) => unknown) | undefined} */
    this.rest = undefined;
    /** @type {string[]} */
    this.errors = [];
  }

  /** @param {string} name in lower case */
  get(name) {
    const value = this.values.get(name);
    if (value !== undefined) return value;
    const field = this.type.fields.get(name);
    if (field !== undefined && this.rest !== undefined) return this.rest(name) ?? null;
    const isRelationship = [...this.type.fields.values()].some(
      ({ relationship }) => relationship.toLowerCase() === name,
    );
    if (field === undefined && !isRelationship)
      throw new Error(`${this.type.name} has no ${name}.`);
    if (this.isQueried && name !== 'id' && !this.values.has(name))
      throw new ApexError(
        'SObjectException',
        `SObject row was retrieved via SOQL without querying the requested field: ${this.type.name}.${name}`,
      );
    return field?.type === 'BOOLEAN' && !this.isQueried ? (field.initial ?? false) : null;
  }

  /** @param {string} name in lower case @param {unknown} value */
  set(name, value) {
    const field = this.type.fields.get(name);
    if (field === undefined) throw new Error(`${this.type.name} has no ${name}.`);
    // The compiler of an org says so; the Id alone may be given to a record that is updated.
    if (field.writable === false && name !== 'id')
      throw new Error(`Field is not writeable: ${this.type.name}.${field.name}`);
    this.values.set(
      name,
      field.type === 'DOUBLE' || field.type === 'CURRENCY' ? coerce(value, 'decimal') : value,
    );
  }

  toString() {
    return `${this.type.name}:{${[...this.values].map(([key, value]) => `${key}=${textOf(value)}`).join(', ')}}`;
  }
}

export class DmlError extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}
