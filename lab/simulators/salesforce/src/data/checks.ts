import { ApiError } from '../errors.ts';
import { prefixOf } from '../ids.ts';
import type { Field, SObject } from '../schema/sobject.ts';
import { linkKey, type Row, uniqueKey, type Values } from './database.ts';
import type { Locking } from './locking.ts';
import type { Transaction } from './transaction.ts';
import { checkValue } from './values.ts';

/** Checks a record when it is saved. `changed` has the fields that are to be looked at. */
export function checkRow(tx: Transaction, object: SObject, row: Row, changed: Values): void {
  const missing = [...object.fields.values()].filter(
    (field) => field.required && (row[field.name] ?? null) === null,
  );
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name);
    throw new ApiError(
      'REQUIRED_FIELD_MISSING',
      `Required fields are missing: [${names.join(', ')}]`,
      {
        fields: names,
      },
    );
  }
  for (const [name, value] of Object.entries(changed)) {
    const field = object.fields.get(name.toLowerCase());
    if (field === undefined) continue;
    checkValue(field, value);
    if (field.type === 'reference' && typeof value === 'string') checkReference(tx, field, value);
  }
}

function checkReference(tx: Transaction, field: Field, id: string): void {
  const fields = [field.name];
  const target = tx.get(id);
  if (target === undefined) {
    throw new ApiError('INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', { fields });
  }
  if (target['IsDeleted'] === true) {
    throw new ApiError('ENTITY_IS_DELETED', 'entity is deleted', { fields, status: 400 });
  }
}

/** The type of a lookup's target is in the first letters of the id. */
export function checkReferenceType(field: Field, id: string, prefixes: ReadonlySet<string>): void {
  if (prefixes.has(prefixOf(id))) return;
  throw new ApiError(
    'FIELD_INTEGRITY_EXCEPTION',
    `${field.label}: id value of incorrect type: ${id}`,
    { fields: [field.name] },
  );
}

/**
 * Takes the record's unique values. Another transaction that has put one in and is not finished is waited
 * for: if it commits, this one is the duplicate.
 */
export function* takeUnique(
  tx: Transaction,
  object: SObject,
  old: Row | null,
  row: Row,
): Locking<void> {
  for (const field of object.fields.values()) {
    const value = field.unique ? (row[field.name] ?? null) : null;
    const key = uniqueKey(object, field, value);
    const isSame = old !== null && uniqueKey(object, field, old[field.name] ?? null) === key;
    if (key === null || isSame) continue;
    const other = yield* taken(tx, key, row.Id, (holder) =>
      uniqueKey(object, field, holder[field.name] ?? null),
    );
    if (other !== null) {
      throw new ApiError(
        'DUPLICATE_VALUE',
        `duplicate value found: ${field.name} duplicates value on record with id: ${other}`,
        { fields: [] },
      );
    }
  }
  const link = old === null ? linkKey(object, row) : null; // a link is never moved
  if (
    link !== null &&
    (yield* taken(tx, link, row.Id, (holder) => linkKey(object, holder))) !== null
  ) {
    throw new ApiError(
      'DUPLICATE_VALUE',
      `Document with ID: ${String(row['ContentDocumentId'])} is already linked with the entity with ID: ${String(row['LinkedEntityId'])}`,
      { fields: [] },
    );
  }
}

/** The record that has it, or null: then it is ours. */
function* taken(
  tx: Transaction,
  key: string,
  id: string,
  keyOf: (row: Row) => string | null,
): Locking<string | null> {
  yield key;
  const other = tx.ownerOf(key);
  const holder = other === undefined || other === id ? undefined : tx.get(other);
  const isHeld = holder !== undefined && holder['IsDeleted'] !== true && keyOf(holder) === key;
  if (isHeld) return holder.Id;
  tx.take(key, id);
  return null;
}
