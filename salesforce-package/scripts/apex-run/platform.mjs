// The platform as the interpreter asks for it: members and methods of its values, records written with their triggers,
// and queries. The static methods are in services.mjs.

import { childOf } from '../lib/apex-tree.mjs';
import { TypeName, frameOf, part } from './model.mjs';
import { isOfType, methodsOf } from './library.mjs';
import { DmlError, SObject } from './org.mjs';
import { EnumValue, Native, tokenOf } from './natives.mjs';
import { createServices } from './services.mjs';
import { runQuery } from './soql.mjs';
import { ApexError, ApexMap, ApexSet, List, textOf } from './values.mjs';

/**
 * @typedef {import('../lib/apex-tree.mjs').ApexFile} ApexFile
 * @typedef {import('../lib/apex-tree.mjs').Node} Node
 * @typedef {import('./model.mjs').Run} Run
 * @typedef {import('./model.mjs').Frame} Frame
 * @typedef {import('./org.mjs').Org} Org
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

/** @param {Org} org @param {ApexFile[]} files @returns {(run: Run) => import('./model.mjs').Platform} */
export function platformOf(org, files) {
  return (run) => {
    const triggers = files.filter(({ isTrigger }) => isTrigger);
    /** @type {{ isInsert: boolean, fresh: SObject[], old: SObject[] } | undefined} */
    let firing;
    const services = createServices(org, run, { dml, ask });

    /** @param {Node} query @param {(node: Node) => unknown} bound @param {Frame} frame @param {boolean} userMode */
    function ask(query, bound, frame, userMode) {
      return runQuery({ org, query, bound, withSharing: frame.cls.sharing === 'with', userMode });
    }

    /** What went wrong, by record; undefined where nothing did. @param {string} kind @param {SObject[]} records @returns {(DmlError | undefined)[]} */
    function dml(kind, records) {
      if (records.length === 0) return [];
      org.limits.dml += 1;
      org.uncommitted = true;
      const ready = fireTriggers(kind, records);
      return records.map((record, i) => {
        const { errors, values } = ready[i] ?? record;
        if (errors.length > 0)
          return new DmlError('FIELD_CUSTOM_VALIDATION_EXCEPTION', textOf(errors[0]));
        try {
          const id = textOf(record.values.get('id'));
          if (kind === 'insert')
            record.values.set('id', org.insert(record.type, new Map(values), org.userId));
          else if (kind === 'update') org.update(record.type, id, new Map(values));
          else org.delete(record.type, id);
          return undefined;
        } catch (error) {
          if (error instanceof DmlError) return error;
          throw error;
        }
      });
    }

    /** The records as the triggers leave them. @param {string} kind @param {SObject[]} records */
    function fireTriggers(kind, records) {
      const [first] = records;
      const trigger = triggers.find(
        ({ tree }) =>
          tree.children.filter(({ rule }) => rule === 'id')[1]?.text === first?.type.name,
      );
      if (trigger === undefined || kind === 'delete' || first === undefined) return records;
      const table = org.table(first.type);
      const stored = records.map(({ values }) => table.get(textOf(values.get('id'))) ?? new Map());
      const fresh =
        kind === 'insert'
          ? records.map(({ type, values }) => new SObject(type, values))
          : records.map(
              ({ type, values }, i) => new SObject(type, [...(stored[i] ?? []), ...values]),
            );
      const before = firing;
      firing = {
        isInsert: kind === 'insert',
        fresh,
        old: stored.map((values) => new SObject(first.type, values)),
      };
      try {
        const block = childOf(trigger.tree, 'triggerBlock');
        const cls = /** @type {any} */ ({
          name: trigger.name,
          sharing: '',
          inner: new Map(),
          statics: [],
          methods: new Map(),
          constructors: [],
          fields: [],
        });
        const frame = frameOf(cls, null);
        for (const member of block?.children ?? [])
          if (member.rule === 'triggerBlockMember')
            run.statement(part(member, 'statement').children[0], frame);
      } finally {
        firing = before;
      }
      return fresh;
    }

    return {
      isType: (name) =>
        NAMESPACES.includes(name) ||
        ENUMS.includes(name) ||
        org.schema.has(name) ||
        name === 'trigger' ||
        services.has(name),

      call(value, name, args) {
        if (value instanceof List && name === 'sort') {
          value.items.sort((a, b) =>
            Number(run.callOn(a, 'compareto', [b], /** @type {any} */ ({ cls: undefined }))),
          );
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
        if (type === 'trigger' && firing !== undefined) {
          if (name === 'isinsert') return firing.isInsert;
          if (name === 'new') return new List(firing.fresh);
          return new ApexMap(firing.old.map((record) => [record.get('id'), record]));
        }
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

      query(node, frame) {
        return ask(node, (expression) => run.value(expression, frame), frame, false);
      },

      write(kind, value) {
        const records = /** @type {SObject[]} */ (value instanceof List ? value.items : [value]);
        const failed = dml(kind, records).find((error) => error !== undefined);
        if (failed) throw new ApexError('DmlException', `${failed.code}: ${failed.message}`);
      },

      runAs(user, block) {
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

/** Of records, a map by their Ids. @param {unknown} given @returns {[unknown, unknown][]} */
function recordPairs(given) {
  if (given instanceof ApexMap) return [...given.entries.values()];
  return itemsOf(given).map((record) => [/** @type {SObject} */ (record).get('id'), record]);
}
