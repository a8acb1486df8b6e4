// The platform as the interpreter asks for it: members and methods of its values, records written with their triggers,
// and queries. The static methods are in services.mjs.

import { heapOf } from './heap.mjs';
import { isOfType, methodsOf } from './library.mjs';
import { EnumValue, Native, tokenOf } from './natives.mjs';
import { DmlError, SObject } from './records.mjs';
import { TypeName } from './model.mjs';
import { createServices } from './services.mjs';
import { runQuery } from './soql.mjs';
import { createTriggers } from './triggers.mjs';
import { ApexError, ApexMap, ApexSet, List, textOf } from './values.mjs';

/**
 * @typedef {import('./run.mjs').Run} Run
 * @typedef {import('./run.mjs').Frame} Frame
 * @typedef {import('./records.mjs').Store} Store
 * @typedef {import('./parse-query.mjs').Query} Query
 */

const NAMESPACES = ['schema', 'system', 'database', 'messaging'];
const ENUMS = [
  'displaytype',
  'roundingmode',
  'statuscode',
  'accesslevel',
  'logginglevel',
  'parentjobresult',
];

/** How often a write that may succeed in part is attempted. */
const MOST_ATTEMPTS = 3;
const TOO_MANY = 'Too many batch retries in the presence of Apex triggers and partial failures.';

/** @param {Store} org @returns {(run: Run) => import('./run.mjs').Platform & { triggers: ReturnType<typeof createTriggers>, services: ReturnType<typeof createServices> }} */
export function platformOf(org) {
  return (run) => {
    const triggers = createTriggers(run);
    const services = createServices(org, run, { dml, ask });

    /** @param {Query} query @param {unknown[]} bound @param {Frame} frame @param {boolean} userMode */
    function ask(query, bound, frame, userMode) {
      const { limits } = run;
      const withSharing = frame.cls.sharing === 'with';
      const found = runQuery({ org, limits, query, bound, withSharing, userMode });
      limits.heapIs(heapOf(run, found));
      return found;
    }

    /** What went wrong, by record; undefined where nothing did. @param {string} kind @param {SObject[]} records @param {boolean} allOrNone @returns {(DmlError | undefined)[]} */
    function dml(kind, records, allOrNone) {
      if (records.length === 0) return [];
      run.limits.spend('dml');
      run.limits.spend('dmlRows', records.length);
      services.wrote();
      const used = { ...run.limits.used };
      let mark = org.mark();
      const failures = attempt(kind, records);
      const goOn = () => records.flatMap((_, i) => (failures[i] === undefined ? [i] : []));
      for (let tries = 2; ; tries += 1) {
        const rest = goOn();
        if (rest.length === records.length || (!allOrNone && rest.length === 0)) return failures;
        org.rollbackTo(mark);
        if (kind === 'insert') for (const record of records) record.values.delete('id');
        if (allOrNone) return failures;
        // Rows that did not fail are written again without the rest: their triggers fire once more, on the values as they were given.
        // Limits are those from before the first attempt, static variables are not ("Bulk DML Exception Handling").
        mark = org.mark();
        Object.assign(run.limits.used, used);
        const again = attempt(
          kind,
          rest.map((i) => /** @type {SObject} */ (records[i])),
        );
        for (const [at, i] of rest.entries()) failures[i] = again[at];
        if (again.every((failure) => failure === undefined)) return failures;
        if (tries === MOST_ATTEMPTS) {
          org.rollbackTo(mark);
          return records.map((_, i) => failures[i] ?? new DmlError('UNKNOWN_EXCEPTION', TOO_MANY));
        }
      }
    }

    /** @param {string} kind @param {SObject[]} records @returns {(DmlError | undefined)[]} */
    function attempt(kind, records) {
      const [first] = records;
      if (first === undefined) return [];
      const ready =
        kind === 'delete'
          ? []
          : triggers.fire(
              /** @type {any} */ (kind),
              first.type,
              records.map((record) => changeOf(kind, record)),
            );
      const before = records.map((record) => changeOf(kind, record).old);
      return records.map((record, i) => {
        try {
          const { error, values = [] } = ready[i] ?? {};
          if (error !== undefined) return error;
          save(kind, record, new Map([...record.values, ...values]));
          return kind === 'delete' ? undefined : updateByRule(record, before[i]);
        } catch (error) {
          if (error instanceof DmlError) return error;
          throw error;
        }
      });
    }

    /**
     * A workflow rule's field update: saved, and the update triggers fire once more, with the old values from before the
     * first update ("Triggers and Order of Execution", "Entity and Field Considerations in Triggers").
     *
     * @param {SObject} record @param {import('./triggers.mjs').Read | undefined} old
     */
    function updateByRule({ type, values }, old) {
      const update = org.ruleUpdate?.(type);
      if (update === undefined || old === undefined) return undefined;
      const id = textOf(values.get('id'));
      const saved = new SObject(type, [...update, ['id', id]]);
      const { next } = changeOf('update', saved);
      const [fired] = triggers.fire('update', type, [{ next, old }]);
      if (fired?.error !== undefined) return fired.error;
      org.update(type, id, new Map([...update, ...(fired?.values ?? [])]));
      return undefined;
    }

    /** @param {string} kind @param {SObject} record @returns {import('./triggers.mjs').Change} */
    function changeOf(kind, { type, values }) {
      const row = kind === 'insert' ? undefined : org.byId(type, textOf(values.get('id')));
      /** @type {import('./triggers.mjs').Read} */
      const stored = (name) =>
        row === undefined
          ? (type.fields.get(name)?.initial ?? null)
          : org.read(row, org.field(type, name));
      const next = (/** @type {string} */ name) =>
        values.has(name) ? values.get(name) : stored(name);
      return { next, old: kind === 'insert' ? undefined : stored };
    }

    /** @param {string} kind @param {SObject[]} records */
    function checkRights(kind, records) {
      for (const { type, values } of records)
        if (!org.mayWrite(kind, type, [...values.keys()]))
          throw new ApexError('DmlException', `INSUFFICIENT_ACCESS_OR_READONLY: ${type.name}`);
    }

    /** @param {string} kind @param {SObject} record @param {Map<string, unknown>} values */
    function save(kind, record, values) {
      const id = textOf(record.values.get('id'));
      if (kind === 'insert') record.values.set('id', org.insert(record.type, values));
      else if (kind === 'update') org.update(record.type, id, values);
      else org.delete(record.type, id);
    }

    return {
      triggers,
      services,
      isType: (name) =>
        NAMESPACES.includes(name) ||
        ENUMS.includes(name) ||
        org.schema.has(name) ||
        name === 'trigger' ||
        services.has(name),

      call(value, name, args) {
        if (value instanceof List && name === 'sort') {
          value.items.sort((a, b) => Number(run.callOn(a, 'compareto', [b])));
          return null;
        }
        if (value instanceof SObject) return ofRecord(value, name, args);
        if (typeof value === 'string' && name === 'getsobjecttype') {
          const type = org.typeOfId(value);
          if (type === undefined) throw new ApexError('SObjectException', `Invalid id: ${value}`);
          return tokenOf(type);
        }
        const found = value instanceof Native ? value.methods[name] : methodsOf(value)?.[name];
        if (found === undefined)
          throw new Error(`${textOf(value).slice(0, 60)} has no method ${name}.`);
        return (value instanceof Native ? found(...args) : found(value, ...args)) ?? null;
      },

      callStatic(type, name, args, frame) {
        return services.call(type, name, args, frame) ?? null;
      },

      get(value, name) {
        if (value instanceof SObject) return value.get(name) ?? null;
        if (value instanceof Native && name in value.members) return value.members[name] ?? null;
        throw new Error(`${textOf(value).slice(0, 60)} has no ${name}.`);
      },

      set(value, name, member) {
        if (value instanceof SObject) value.set(name, member);
        else if (value instanceof Native) value.members[name] = member;
        else if (value instanceof TypeName) services.state(value.name)[name] = member;
        else throw new Error(`${textOf(value)} has no ${name}.`);
      },

      getStatic(type, name) {
        if (type === 'trigger') return triggers.get(name);
        if (NAMESPACES.includes(type))
          return new TypeName(type === 'messaging' ? `${type}.${name}` : name);
        if (ENUMS.includes(type)) return EnumValue.of(type, name.toUpperCase());
        if (type === 'rowcause') return 'Manual';
        if (org.schema.has(type))
          return name === 'sobjecttype' ? tokenOf(org.type(type)) : new TypeName(name);
        const state = services.state(type);
        if (name in state) return state[name];
        throw new Error(`There is no ${type}.${name}.`);
      },

      create(type, { args, named, items, pairs }) {
        if (type.startsWith('list<')) return new List([...(items ?? itemsOf(args[0]))]);
        if (type.startsWith('set<')) return new ApexSet(items ?? itemsOf(args[0]));
        if (type.startsWith('map<')) return new ApexMap(pairs ?? recordPairs(args[0]));
        if (org.schema.has(type)) {
          const record = new SObject(org.type(type));
          for (const [name, value] of named) record.set(name.toLowerCase(), value);
          return record;
        }
        if (type.endsWith('exception'))
          return new ApexError(type.replace('system.', ''), textOf(args[0] ?? ''));
        return services.create(type);
      },

      isInstance(value, type) {
        if (value instanceof SObject)
          return type === 'sobject' || type === 'object' || value.type.name.toLowerCase() === type;
        if (value instanceof Native) return type === 'object' || value.type === type;
        return isOfType(value, type);
      },

      query: (query, bound, frame) => ask(query, bound, frame, false),

      write(kind, value, asUser) {
        const records = /** @type {SObject[]} */ (value instanceof List ? value.items : [value]);
        if (asUser) checkRights(kind, records);
        const failed = dml(kind, records, true).find((error) => error !== undefined);
        if (failed) throw new ApexError('DmlException', `${failed.code}: ${failed.message}`);
      },

      runAs(user, block) {
        run.limits.spend('dml'); // "Using the runAs Method"
        const before = org.userId;
        org.userId = textOf(/** @type {SObject} */ (user).get('id'));
        try {
          block();
        } finally {
          org.userId = before;
        }
      },
    };

    /** @param {SObject} record @param {string} name @param {unknown[]} args */
    function ofRecord(record, name, args) {
      const [first] = args;
      if (name === 'get' || name === 'getsobject')
        return record.get(textOf(first).toLowerCase()) ?? null;
      if (name === 'haserrors') return record.errors.length > 0;
      if (name === 'adderror') return void record.errors.push(textOf(first));
      if (name === 'getsobjecttype') return tokenOf(record.type);
      throw new Error(`A record has no method ${name}.`);
    }
  };
}

/** @param {unknown} collection @returns {unknown[]} */
function itemsOf(collection) {
  if (collection === undefined) return [];
  if (collection instanceof List || collection instanceof ApexSet) return collection.items;
  throw new Error(`Not a collection: ${textOf(collection)}`);
}

/** The pairs for a map; records are keyed by their Ids. @param {unknown} given @returns {[unknown, unknown][]} */
function recordPairs(given) {
  if (given instanceof ApexMap) return [...given.entries.values()];
  return itemsOf(given).map((record) => [/** @type {SObject} */ (record).get('id'), record]);
}
