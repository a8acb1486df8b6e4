import { prefixOf } from '../ids.ts';
import type { Schema } from '../schema/schema.ts';
import type { Field, SObject } from '../schema/sobject.ts';

/** The committed data. Only the commit of a transaction changes it, in one step. */
export interface Database {
  readonly schema: Schema;
  get(id: string): Row | undefined;
  /** Records of an object, oldest first. Deleted ones are in the recycle bin. */
  rows(object: SObject): Iterable<Row>;
  bin(object: SObject): Iterable<Row>;
  /** Who has this value in a unique field. */
  owner(key: string): string | undefined;
  apply(rows: Iterable<Row>): void;
  readonly fileBytes: number;
  clear(): void;
}

interface Table {
  readonly live: Map<string, Row>;
  readonly bin: Map<string, Row>;
}

export function createDatabase(schema: Schema): Database {
  const tables = new Map<string, Table>();
  const unique = new Map<string, string>();
  let fileBytes = 0;

  function table(prefix: string): Table {
    const known = tables.get(prefix);
    if (known !== undefined) return known;
    const made: Table = { live: new Map(), bin: new Map() };
    tables.set(prefix, made);
    return made;
  }

  function get(id: string): Row | undefined {
    const { live, bin } = table(prefixOf(id));
    return live.get(id) ?? bin.get(id);
  }

  function write(row: Row): void {
    const object = schema.byPrefix(prefixOf(row.Id));
    if (object === undefined) return;
    const { live, bin } = table(object.keyPrefix);
    const old = live.get(row.Id);
    if (old !== undefined) {
      for (const key of uniqueKeys(object, old)) unique.delete(key);
      fileBytes -= bytesOf(old);
    }
    if (row['IsDeleted'] === true) {
      live.delete(row.Id);
      bin.set(row.Id, row);
    } else {
      bin.delete(row.Id);
      live.set(row.Id, row);
      for (const key of uniqueKeys(object, row)) unique.set(key, row.Id);
      fileBytes += bytesOf(row);
    }
  }

  return {
    schema,
    get,
    rows: (object) => table(object.keyPrefix).live.values(),
    bin: (object) => table(object.keyPrefix).bin.values(),
    owner: (key) => unique.get(key),
    apply(rows) {
      const all = [...rows];
      // A value may move from one record to another: first all old ones go.
      for (const { Id } of all) {
        const object = schema.byPrefix(prefixOf(Id));
        const old = object === undefined ? undefined : table(object.keyPrefix).live.get(Id);
        if (object === undefined || old === undefined) continue;
        for (const key of uniqueKeys(object, old)) unique.delete(key);
      }
      for (const row of all) write(row);
    },
    get fileBytes() {
      return fileBytes;
    },
    clear() {
      tables.clear();
      unique.clear();
      fileBytes = 0;
    },
  };
}

function bytesOf(row: Row): number {
  const data = row['VersionData'];
  return Buffer.isBuffer(data) ? data.length : 0;
}

/** The names that a record's unique values have, in the index and among the locks. */
function uniqueKeys(object: SObject, row: Row): string[] {
  const keys: string[] = [];
  for (const field of object.fields.values()) {
    const key = field.unique ? uniqueKey(object, field, row[field.name] ?? null) : null;
    if (key !== null) keys.push(key);
  }
  const link = linkKey(object, row);
  return link === null ? keys : [...keys, link];
}

/** A document is linked to a record once. */
export function linkKey(object: SObject, row: Row): string | null {
  if (object.name !== 'ContentDocumentLink') return null;
  return `${object.name}=${String(row['ContentDocumentId'])}/${String(row['LinkedEntityId'])}`;
}

/** Null: an empty field is not compared. */
export function uniqueKey(object: SObject, field: Field, value: Row[string]): string | null {
  if (value === null) return null;
  const text = String(value);
  return `${object.name}.${field.name}=${field.caseSensitive ? text : text.toLowerCase()}`;
}

/** A moment is a number (milliseconds since 1970), a date is `2026-01-31`, a file's body is a buffer. */
export type Value = string | number | boolean | null | Buffer;

/** A record at one moment. A change makes a new one, so whoever read the old one still has it whole. */
export interface Row {
  readonly Id: string;
  readonly [field: string]: Value;
}

export type Values = Readonly<Record<string, Value>>;
