// What triggers make of records before they are saved, be it by Apex or by a call from outside.

import { DmlError, SObject } from './records.mjs';
import { ApexError, ApexMap, List, textOf } from './values.mjs';

/**
 * @typedef {import('./schema.mjs').ObjectType} ObjectType
 * @typedef {(name: string) => unknown} Read a field by its name in lower case
 * @typedef {{ next: Read, old: Read | undefined }} Change old: nothing before an insert
 * @typedef {{ values: Map<string, unknown>, error: DmlError | undefined }} Outcome what the trigger has set, or why it refuses
 */

/** Triggers get so many records at once. */
const AT_ONCE = 200;

/** @param {import('./run.mjs').Run} run */
export function createTriggers(run) {
  /** @type {{ isInsert: boolean, fresh: SObject[], old: SObject[] } | undefined} */
  let firing;

  /** @param {'insert' | 'update'} kind @param {ObjectType} type @param {Change[]} changes @returns {Outcome[]} */
  function fire(kind, type, changes) {
    const triggers = run.program.triggers.filter(
      ({ object, events }) =>
        object === type.name.toLowerCase() && events.includes(`before ${kind}`),
    );
    /** @type {Outcome[]} */
    const outcomes = [];
    for (let i = 0; i < changes.length; i += AT_ONCE)
      outcomes.push(...chunk(triggers, kind, type, changes.slice(i, i + AT_ONCE)));
    return outcomes;
  }

  /** @param {import('./program.mjs').Trigger[]} triggers @param {'insert' | 'update'} kind @param {ObjectType} type @param {Change[]} changes @returns {Outcome[]} */
  function chunk(triggers, kind, type, changes) {
    const fresh = changes.map(({ next }) => readingRecord(type, next));
    const old = changes.flatMap(({ old: before }) => (before ? [readingRecord(type, before)] : []));
    const [outer, top] = [firing, run.top];
    /** @type {DmlError | undefined} */
    let thrown;
    firing = { isInsert: kind === 'insert', fresh, old };
    for (const { name, method } of triggers) {
      try {
        run.invoke(method, null, []);
      } catch (error) {
        if (!(error instanceof ApexError)) throw error;
        run.top = top;
        thrown = new DmlError(
          'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY',
          `${name}: execution of Before${kind === 'insert' ? 'Insert' : 'Update'}\n\ncaused by: ${said(error)}`,
        );
      }
    }
    firing = outer;
    return fresh.map(({ values, errors }) => ({
      values,
      error:
        thrown ??
        (errors[0] === undefined
          ? undefined
          : new DmlError('FIELD_CUSTOM_VALIDATION_EXCEPTION', errors[0])),
    }));
  }

  return {
    fire,
    /** Trigger.isInsert, Trigger.new, Trigger.oldMap. @param {string} name */
    get(name) {
      if (firing === undefined) throw new Error(`Trigger.${name} outside of a trigger.`);
      if (name === 'isinsert') return firing.isInsert;
      if (name === 'new') return new List(firing.fresh);
      return new ApexMap(firing.old.map((record) => [record.get('id'), record]));
    },
  };
}

/** @param {ObjectType} type @param {Read} read */
function readingRecord(type, read) {
  const record = new SObject(type);
  record.rest = read;
  return record;
}

/** As Salesforce names an exception: its own have `System.` before them. @param {ApexError} error */
export function said({ type, message }) {
  const isOwn = /^[A-Z]\w*\.\w+$|^Docgen/.test(type);
  return `${isOwn ? '' : 'System.'}${type}: ${textOf(message)}`;
}
