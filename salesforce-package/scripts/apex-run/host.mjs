// The package's Apex for a host that has an org of its own: its REST classes and its triggers, run on the host's records.
// The host speaks in plain values: a moment is a number of milliseconds, a date is `2026-01-31`, a number is a number.

import { LimitExceeded } from './limits.mjs';
import { Native } from './natives.mjs';
import { platformOf } from './platform.mjs';
import { loadProgram } from './program.mjs';
import { DmlError } from './records.mjs';
import { createRun } from './run.mjs';
import { said } from './triggers.mjs';
import { ApexDate, ApexError, Blob, Datetime, textOf, toDecimal } from './values.mjs';

/**
 * @typedef {import('./schema.mjs').ObjectType} ObjectType
 * @typedef {import('./schema.mjs').Field & { column: string, createable: boolean, updateable: boolean }} HostField
 * @typedef {string | number | boolean | null | Buffer} Plain
 * @typedef {Record<string, Plain>} PlainRow
 *
 * @typedef {object} HostRecords a transaction of the host. What it throws with an `errorCode` refuses a record or a lock.
 * @property {string} userId
 * @property {() => number} now
 * @property {(object: string) => Iterable<PlainRow>} rows
 * @property {(object: string, id: string) => PlainRow | undefined} byId
 * @property {(id: string) => void} lock
 * @property {(object: string, values: PlainRow) => string} insert
 * @property {(object: string, id: string, values: PlainRow) => void} update
 * @property {(object: string, id: string) => void} remove
 * @property {() => unknown} mark
 * @property {(mark: unknown) => void} rollbackTo
 * @property {(name: string) => boolean} hasPermission
 *
 * @typedef {{ name: string, prefix: string, fields: HostField[] }} HostObject
 * @typedef {{ method: string, path: string, body: Buffer }} RestRequest path: what follows /services/apexrest
 * @typedef {{ status: number, body: string } | { uncaught: string } | { unmapped: true } | { allowed: string[] }} RestAnswer
 */

/** @param {string} source force-app/main/default @param {HostObject[]} objects with the names that Apex uses */
export function openApex(source, objects) {
  const program = loadProgram(source, { withTests: false });
  const schema = schemaOf(objects);
  const resources = [...program.classes.values()].flatMap((cls) =>
    cls.mapping === '' ? [] : [{ cls, pattern: mappingPattern(cls.mapping) }],
  );

  const triggered = new Set(program.triggers.map(({ object }) => object));

  /** @param {HostRecords} records */
  const open = (records) => createRun(program, platformOf(storeOf(schema, records)));

  return {
    /** @param {HostRecords} records @param {RestRequest} request @returns {RestAnswer} */
    rest(records, { method, path, body }) {
      const found = resources.find(({ pattern }) => pattern.test(path));
      if (found === undefined) return { unmapped: true };
      const handlers = [...found.cls.methods.values()].flat();
      const handler = handlers.find(({ annotations }) =>
        annotations.includes(`http${method.toLowerCase()}`),
      );
      if (handler === undefined) {
        const verbs = handlers.flatMap(({ annotations }) =>
          annotations.filter((each) => /^http(get|post|put|patch|delete)$/.test(each)),
        );
        return { allowed: verbs.map((each) => each.slice('http'.length).toUpperCase()) };
      }
      const run = open(records);
      const context = run.platform.services.state('restcontext');
      const request = /** @type {Native} */ (run.platform.services.create('restrequest'));
      const response = /** @type {Native} */ (run.platform.services.create('restresponse'));
      Object.assign(request.members, { requesturi: path, requestbody: new Blob(body) });
      Object.assign(context, { request, response });
      try {
        run.invoke(handler, null, []);
      } catch (error) {
        return { uncaught: uncaught(run, error) };
      }
      const { statuscode, responsebody } = response.members;
      return { status: Number(statuscode ?? 200), body: textOf(responsebody ?? '') };
    },

    /**
     * What the triggers before an insert or update set. Throws a DmlError where they refuse.
     *
     * @param {HostRecords} records
     * @param {{ object: string, old: PlainRow | null, next: PlainRow, trusted: string | undefined }} change trusted: a static
     *   Boolean that the package's own classes set around their writes, `Class.variable`
     * @returns {PlainRow}
     */
    fire(records, { object, old, next, trusted }) {
      const type = schema.get(object.toLowerCase());
      if (type === undefined || !triggered.has(object.toLowerCase())) return {};
      const run = open(records);
      const [className = '', variable = ''] = trusted?.toLowerCase().split('.') ?? [];
      const cls = program.classes.get(className);
      if (cls !== undefined) run.staticsOf(cls).set(variable, true);
      const read = (/** @type {PlainRow} */ row) => (/** @type {string} */ name) =>
        apexValue(/** @type {HostField} */ (type.fields.get(name)), row);
      try {
        const [outcome] = run.platform.triggers.fire(old === null ? 'insert' : 'update', type, [
          { next: read(next), old: old === null ? undefined : read(old) },
        ]);
        if (outcome?.error !== undefined) throw outcome.error;
        return plainRow(type, outcome?.values ?? new Map(), () => true);
      } catch (error) {
        if (!(error instanceof LimitExceeded)) throw error;
        throw new DmlError('CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', uncaught(run, error));
      }
    },
  };
}

/** As Apex REST says what nobody caught; what is no error of Apex is the host's. @param {ReturnType<typeof createRun>} run @param {unknown} error */
function uncaught(run, error) {
  if (error instanceof LimitExceeded)
    return `System.LimitException: ${error.message}\n\n${run.place()}`;
  if (error instanceof ApexError) return `${said(error)}\n\n${run.place()}`;
  throw error;
}

/** `/millrace/v1/*`. @param {string} mapping */
function mappingPattern(mapping) {
  const escaped = mapping.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\*$/, '.*')}$`, 'i');
}

/** @param {HostObject[]} objects @returns {Map<string, ObjectType>} */
function schemaOf(objects) {
  /** @type {Map<string, ObjectType>} */
  const schema = new Map();
  for (const { name, prefix, fields } of objects) {
    const byName = new Map(fields.map((field) => [field.name.toLowerCase(), field]));
    schema.set(name.toLowerCase(), {
      name,
      prefix,
      fields: byName,
      children: [],
      oneOf: [],
      schema,
    });
  }
  return schema;
}

/** @param {Map<string, ObjectType>} schema @param {HostRecords} host @returns {import('./records.mjs').Store} */
function storeOf(schema, host) {
  const prefixes = new Map([...schema.values()].map((type) => [type.prefix, type]));
  /** @param {string} name */
  const type = (name) => {
    const found = schema.get(name.toLowerCase());
    if (found === undefined) throw new Error(`There is no object ${name}.`);
    return found;
  };
  return {
    schema,
    userId: host.userId,
    type,
    field(object, name) {
      const found = object.fields.get(name);
      if (found === undefined)
        throw new ApexError(
          'QueryException',
          `No such column '${name}' on entity '${object.name}'`,
        );
      return found;
    },
    typeOfId: (id) => prefixes.get(id.slice(0, 3)),
    rows: ({ name }) => host.rows(name),
    byId: ({ name, prefix }, id) => (id.startsWith(prefix) ? host.byId(name, id) : undefined),
    read: (row, field) => apexValue(/** @type {HostField} */ (field), row),
    lock(ids) {
      for (const id of ids.toSorted())
        refusing(
          () => host.lock(id),
          ({ message }) =>
            new ApexError('QueryException', `Record Currently Unavailable: ${message}`),
        );
    },
    insert: (object, values) =>
      refusing(() =>
        host.insert(
          object.name,
          plainRow(object, values, ({ createable }) => createable),
        ),
      ),
    update: (object, id, values) =>
      refusing(() =>
        host.update(
          object.name,
          id,
          plainRow(object, values, ({ updateable }) => updateable),
        ),
      ),
    delete: (object, id) => refusing(() => host.remove(object.name, id)),
    mark: host.mark,
    rollbackTo: host.rollbackTo,
    now: host.now,
    // The host has no sharing and no permissions on objects and fields.
    mayReadObject: () => true,
    mayReadField: () => true,
    mayWrite: () => true,
    maySee: () => true,
    mayEdit: () => true,
    hasPermission: host.hasPermission,
    publish(events) {
      for (const { type: event, values } of events)
        refusing(() =>
          host.insert(
            event.name,
            plainRow(event, values, () => true),
          ),
        );
    },
  };
}

/** What the host refuses, as Apex knows it. @template T @param {() => T} work @param {(refused: { errorCode: string, message: string }) => Error} [as] */
function refusing(work, as = ({ errorCode, message }) => new DmlError(errorCode, message)) {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && 'errorCode' in error && typeof error.errorCode === 'string')
      throw as({ errorCode: error.errorCode, message: error.message });
    throw error;
  }
}

/** @param {HostField} field @param {PlainRow} row */
function apexValue({ column, type }, row) {
  const value = row[column] ?? null;
  if (typeof value === 'number') {
    if (type === 'DATETIME') return new Datetime(value);
    return type === 'INTEGER' ? value : toDecimal(value);
  }
  if (type === 'DATE' && typeof value === 'string') {
    const [year, month, day] = value.split('-').map(Number);
    return new ApexDate(year ?? 0, month ?? 0, day ?? 0);
  }
  return Buffer.isBuffer(value) ? new Blob(value) : value;
}

/** Fields that a query brought along and that nobody may write are left out. @param {ObjectType} type @param {Map<string, unknown>} values @param {(field: HostField) => boolean} isWritten */
function plainRow(type, values, isWritten) {
  /** @type {PlainRow} */
  const row = {};
  for (const [name, value] of values) {
    const field = /** @type {HostField | undefined} */ (type.fields.get(name));
    if (field !== undefined && name !== 'id' && isWritten(field))
      row[field.column] = plainValue(value);
  }
  return row;
}

/** @param {unknown} value @returns {Plain} */
function plainValue(value) {
  if (value === null || value === undefined || value === '') return null;
  if (value instanceof Datetime) return Math.floor(value.ms / 1000) * 1000;
  if (value instanceof Blob) return value.bytes;
  if (typeof value === 'boolean' || typeof value === 'string') return value;
  if (value instanceof ApexDate) return value.toString();
  return Number(textOf(value));
}
