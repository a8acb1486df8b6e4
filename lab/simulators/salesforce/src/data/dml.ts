import type { Clock } from '@millrace/simulator-kit';
import { wholeSeconds } from './values.ts';
import { ApiError } from '../errors.ts';
import { prefixOf } from '../ids.ts';
import type { Schema } from '../schema/schema.ts';
import type { Field, SObject } from '../schema/sobject.ts';
import { checkReferenceType, checkRow, takeUnique } from './checks.ts';
import { type Locking, waiting } from './locking.ts';
import type { Row, Value, Values } from './database.ts';
import type { Serials } from './serials.ts';
import type { Trigger, Work } from './transaction.ts';

/** Each says which locks it needs. */
export interface DmlSteps {
  insert(work: Work, object: SObject, values: Values): Locking<string>;
  update(work: Work, object: SObject, id: string, values: Values): Locking<void>;
  remove(work: Work, object: SObject, id: string): Locking<void>;
  /** As `insert`, but any field may be given and no trigger runs: how the org came to be. */
  seed(work: Work, object: SObject, values: Values): Locking<string>;
}

/** Waits for the locks. */
export interface Dml {
  readonly steps: DmlSteps;
  insert(work: Work, object: SObject, values: Values): Promise<string>;
  update(work: Work, object: SObject, id: string, values: Values): Promise<void>;
  remove(work: Work, object: SObject, id: string): Promise<void>;
  seed(work: Work, object: SObject, values: Values): Promise<string>;
}

/** The effects of some objects besides keeping what they are given. */
export interface Behaviour {
  /** Fields that follow from others. Throws to refuse. */
  derive?(work: Work, row: Row): Values;
  inserted?(work: Work, row: Row): Locking<void>;
}

interface Parts {
  readonly schema: Schema;
  readonly clock: Clock;
  readonly serials: Serials;
  readonly trigger: Trigger;
  readonly behaviour: (object: SObject, dml: DmlSteps) => Behaviour;
  readonly publish: (object: SObject, row: Row) => void;
}

export function createDml({ schema, clock, serials, trigger, behaviour, publish }: Parts): Dml {
  const targets = new Map<Field, ReadonlySet<string>>();

  function checkTypes(object: SObject, values: Values): void {
    for (const [name, value] of Object.entries(values)) {
      const field = object.fields.get(name.toLowerCase());
      if (field?.type !== 'reference' || typeof value !== 'string') continue;
      if (field.referenceTo[0] === '*') continue;
      const prefixes =
        targets.get(field) ??
        new Set(field.referenceTo.map((to) => schema.find(to)?.keyPrefix ?? ''));
      targets.set(field, prefixes);
      checkReferenceType(field, value, prefixes);
    }
  }

  function born(work: Work, object: SObject, values: Values): Row {
    const now = wholeSeconds(clock.now());
    const row: Record<string, Value> & { Id: string } = { Id: serials.id(object.keyPrefix) };
    for (const field of object.fields.values()) {
      if (field.name === 'Id') continue;
      row[field.name] = field.autoNumber === null ? field.initial : serials.name(object, field);
    }
    Object.assign(row, {
      CreatedDate: now,
      CreatedById: work.userId,
      LastModifiedDate: now,
      LastModifiedById: work.userId,
      SystemModstamp: now,
      ...(object.fields.has('ownerid') && { OwnerId: work.userId }),
    });
    return Object.assign(row, values);
  }

  function* save(
    work: Work,
    object: SObject,
    old: Row | null,
    row: Row,
    changed: Values,
  ): Locking<void> {
    checkTypes(object, changed);
    checkRow(work.tx, object, row, changed);
    yield* takeUnique(work.tx, object, old, row);
    work.tx.put(row);
  }

  function* add(work: Work, object: SObject, values: Values, seeding: boolean): Locking<string> {
    if (!seeding && !object.createable) {
      throw new ApiError(
        'INVALID_TYPE_FOR_OPERATION',
        `entity type cannot be inserted: ${object.label}`,
        {
          fields: [],
        },
      );
    }
    const refusal = seeding ? null : work.refusalOf(object.name);
    if (refusal !== null) throw refusal;
    const { derive, inserted } = behaviour(object, steps);
    const first = born(work, object, values);
    const before = seeding ? {} : trigger(work, object, null, first);
    const next: Row = { ...first, ...before };
    const row: Row = { ...next, ...derive?.(work, next) };
    if (object.isEvent) {
      checkRow(work.tx, object, row, values);
      work.tx.afterCommit(() => publish(object, row));
      return row.Id;
    }
    if (!seeding) yield* lockParents(object, null, row);
    yield* save(work, object, null, row, { ...values, ...before });
    if (inserted !== undefined) yield* inserted(work, row);
    return row.Id;
  }

  const steps: DmlSteps = {
    insert: (work, object, values) => add(work, object, values, false),
    seed: (work, object, values) => add(work, object, values, true),
    *update(work, object, id, values) {
      const old = yield* locked(work, object, id);
      const now = wholeSeconds(clock.now());
      const stamped: Row = {
        ...old,
        ...values,
        LastModifiedDate: now,
        LastModifiedById: work.userId,
        SystemModstamp: now,
      };
      const before = trigger(work, object, old, stamped);
      const next: Row = { ...stamped, ...before };
      yield* lockParents(object, old, next);
      yield* save(work, object, old, next, { ...values, ...before });
    },
    *remove(work, object, id) {
      if (!object.deletable) {
        throw new ApiError(
          'INVALID_TYPE_FOR_OPERATION',
          `entity type cannot be deleted: ${object.label}`,
          {
            fields: [],
          },
        );
      }
      yield* removeTree(work, yield* locked(work, object, id));
    },
  };

  function* removeTree(work: Work, row: Row): Locking<void> {
    const object = schema.byPrefix(prefixOf(row.Id));
    if (object === undefined) return;
    work.tx.put({ ...row, IsDeleted: true, SystemModstamp: wholeSeconds(clock.now()) });
    for (const { child, field } of schema.children(object)) {
      const orphans = [...work.tx.rows(child)].filter((each) => each[field.name] === row.Id);
      for (const orphan of orphans) {
        if (field.onParentDeleted === 'Restrict') throw deleteFailed();
        yield orphan.Id;
        if (field.onParentDeleted === 'Cascade') yield* removeTree(work, orphan);
        else work.tx.put({ ...(work.tx.get(orphan.Id) ?? orphan), [field.name]: null });
      }
    }
  }
  return {
    steps,
    insert: (work, ...rest) => waiting(work.tx, steps.insert(work, ...rest)),
    update: (work, ...rest) => waiting(work.tx, steps.update(work, ...rest)),
    remove: (work, ...rest) => waiting(work.tx, steps.remove(work, ...rest)),
    seed: (work, ...rest) => waiting(work.tx, steps.seed(work, ...rest)),
  };
}

/**
 * Whoever writes a child locks its parents until the end: masters, lookups that do not let their parent be deleted, and
 * what a file is linked to. A lookup that is emptied with its parent locks nothing ("Record Locking Cheat Sheet").
 */
function* lockParents(object: SObject, old: Row | null, row: Row): Locking<void> {
  for (const { type, name, onParentDeleted } of object.fields.values()) {
    const parent = row[name];
    if (type !== 'reference' || typeof parent !== 'string' || parent === old?.[name]) continue;
    if (onParentDeleted !== 'SetNull') yield parent;
  }
}

/** Waits for whoever changes the record now, then reads what they left. */
function* locked({ tx }: Work, object: SObject, id: string): Locking<Row> {
  const seen = prefixOf(id) === object.keyPrefix ? tx.get(id) : undefined;
  if (seen === undefined) {
    throw new ApiError('INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', {
      fields: [],
      status: 404,
    });
  }
  yield id;
  const row = tx.get(id);
  if (row === undefined || row['IsDeleted'] === true) {
    throw new ApiError('ENTITY_IS_DELETED', 'entity is deleted', { fields: [] });
  }
  return row;
}

export function storageFull(): ApiError {
  return new ApiError('STORAGE_LIMIT_EXCEEDED', 'storage limit exceeded', { fields: [] });
}

function deleteFailed(): ApiError {
  return new ApiError(
    'DELETE_FAILED',
    'Your attempt to delete the record could not be completed because other records refer to it.',
    {
      fields: [],
    },
  );
}
