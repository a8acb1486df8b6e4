import type { Row, Value } from './data/database.ts';
import { coerce } from './data/values.ts';
import type { Work } from './data/transaction.ts';
import { requireId, prefixOf } from './ids.ts';
import { NO_FAULTS, type Org, type PublishedEvent } from './org.ts';
import type { SObject } from './schema/sobject.ts';
import { type JsonObject, renderRecord } from './soql/render.ts';

export interface FileInside {
  readonly versionId: string;
  readonly documentId: string;
  readonly title: string;
  readonly extension: string | null;
  readonly size: number;
  readonly checksum: string;
  readonly isLatest: boolean;
  /** The records that the document is linked to, people apart. None: nobody would find it. */
  readonly parents: readonly string[];
}

/** The org from the inside, for tests and pages: no call is counted, no trigger runs. */
export interface Inside {
  /** Records of an object as a read would give them. */
  records(type: string): JsonObject[];
  record(id: string): JsonObject | null;
  files(): FileInside[];
  body(versionId: string): Buffer | null;
  readonly events: readonly PublishedEvent[];
  /** Puts a record in; any field may be given, `CreatedDate` too. Gives its id. */
  insert(type: string, fields: Readonly<Record<string, unknown>>): Promise<string>;
  update(id: string, fields: Readonly<Record<string, unknown>>): Promise<void>;
  remove(id: string): Promise<void>;
  /** How many transactions wait for a lock now. */
  readonly waiting: number;
}

export function lookInside(org: Org): Inside {
  const { schema, database, dml } = org;
  const shown = (object: SObject, row: Row): JsonObject => renderRecord('v66.0', object, row);

  function objectOf(id: string): SObject {
    return schema.byPrefix(prefixOf(id)) ?? schema.require('');
  }

  /** As the first user, with the package's triggers out of the way. */
  function asAdmin<T>(run: (work: Work) => Promise<T>): Promise<T> {
    const userId = [...database.rows(schema.require('User'))][0]?.Id ?? '';
    return org.transact({ userId, strikes: NO_FAULTS }, run, 'admin');
  }

  function valuesOf(
    object: SObject,
    fields: Readonly<Record<string, unknown>>,
  ): Record<string, Value> {
    return Object.fromEntries(
      Object.entries(fields).map(([name, value]) => {
        const field = object.fields.get(name.toLowerCase());
        if (field === undefined) throw new Error(`${object.name} has no field ${name}.`);
        return [field.name, coerce(field, value instanceof Date ? value.toISOString() : value)];
      }),
    );
  }

  function files(): FileInside[] {
    const parents = new Map<string, string[]>();
    for (const link of database.rows(schema.require('ContentDocumentLink'))) {
      const entity = String(link['LinkedEntityId']);
      const document = String(link['ContentDocumentId']);
      if (prefixOf(entity) !== '005')
        parents.set(document, [...(parents.get(document) ?? []), entity]);
    }
    return [...database.rows(schema.require('ContentVersion'))].map((row) => ({
      versionId: row.Id,
      documentId: String(row['ContentDocumentId']),
      title: String(row['Title']),
      extension: row['FileExtension'] === null ? null : String(row['FileExtension']),
      size: Number(row['ContentSize']),
      checksum: String(row['Checksum']),
      isLatest: row['IsLatest'] === true,
      parents: parents.get(String(row['ContentDocumentId'])) ?? [],
    }));
  }

  return {
    records(type) {
      const object = schema.require(type);
      return [...database.rows(object)].map((row) => shown(object, row));
    },
    record(id) {
      const row = database.get(requireId(id));
      return row === undefined || row['IsDeleted'] === true ? null : shown(objectOf(row.Id), row);
    },
    files,
    body(versionId) {
      const data = database.get(requireId(versionId))?.['VersionData'];
      return Buffer.isBuffer(data) ? data : null;
    },
    events: org.events,
    insert(type, fields) {
      const object = schema.require(type);
      return asAdmin((work) => dml.seed(work, object, valuesOf(object, fields)));
    },
    update(id, fields) {
      const object = objectOf(requireId(id));
      return asAdmin((work) => dml.update(work, object, requireId(id), valuesOf(object, fields)));
    },
    remove: (id) => asAdmin((work) => dml.remove(work, objectOf(requireId(id)), requireId(id))),
    get waiting() {
      return org.locks.waiting;
    },
  };
}
