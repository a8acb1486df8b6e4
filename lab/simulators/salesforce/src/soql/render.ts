import { momentText } from '../data/dates.ts';
import type { Row, Value } from '../data/database.ts';
import type { Field, SObject } from '../schema/sobject.ts';

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** A value as answers show it. A file's body is an address, never bytes. */
export function renderValue(version: string, field: Field, row: Row, value: Value): Json {
  if (field.type === 'datetime' && typeof value === 'number') return momentText(value);
  if (!Buffer.isBuffer(value)) return value;
  return `/services/data/${version}/sobjects/ContentVersion/${row.Id}/${field.name}`;
}

export function attributesOf(version: string, object: SObject, id: string): JsonObject {
  return { type: object.name, url: `/services/data/${version}/sobjects/${object.name}/${id}` };
}

/** A whole record, or the named fields of it, as `GET …/sobjects/X/id` gives it. */
export function renderRecord(
  version: string,
  object: SObject,
  row: Row,
  fields: Iterable<Field> = object.fields.values(),
): JsonObject {
  const json: Record<string, Json> = { attributes: attributesOf(version, object, row.Id) };
  for (const field of fields) {
    json[field.name] = renderValue(version, field, row, row[field.name] ?? null);
  }
  return json;
}
