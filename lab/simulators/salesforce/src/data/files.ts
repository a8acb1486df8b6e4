import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { ApiError } from '../errors.ts';
import type { Schema } from '../schema/schema.ts';
import type { Database, Row, Values } from './database.ts';
import { type Behaviour, type DmlSteps, storageFull } from './dml.ts';
import type { Locking } from './locking.ts';
import type { Work } from './transaction.ts';

const FILE_TYPES: Readonly<Record<string, string>> = {
  pdf: 'PDF',
  docx: 'WORD_X',
  doc: 'WORD',
  xlsx: 'EXCEL_X',
  txt: 'TEXT',
  csv: 'CSV',
  png: 'PNG',
  jpg: 'JPG',
};

interface Parts {
  readonly schema: Schema;
  readonly database: Database;
  /** Bytes of all files together. */
  readonly storageBytes: number;
  /** Throws when the day's new versions are used up. */
  readonly publish: () => void;
}

/**
 * A version is what is uploaded; its document is made with it, or named by it. The document belongs to whoever
 * uploaded it, which is a link too.
 */
export function contentVersion(parts: Parts, dml: DmlSteps): Behaviour {
  const { schema, database, storageBytes, publish } = parts;
  const documents = schema.require('ContentDocument');
  const versions = schema.require('ContentVersion');
  const links = schema.require('ContentDocumentLink');

  function* link(work: Work, documentId: string, entityId: string, type: string): Locking<void> {
    const values = { ContentDocumentId: documentId, LinkedEntityId: entityId, ShareType: type };
    yield* dml.seed(work, links, { ...values, Visibility: 'AllUsers' });
  }

  function* newDocument(work: Work, row: Row): Locking<void> {
    const id = yield* dml.seed(work, documents, {
      ...documentFields(row),
      OwnerId: row['OwnerId'] ?? work.userId,
    });
    work.tx.put({ ...row, ContentDocumentId: id });
    yield* link(work, id, String(row['OwnerId'] ?? work.userId), 'I');
    const place = row['FirstPublishLocationId'] ?? null;
    if (typeof place === 'string' && place !== row['OwnerId']) yield* link(work, id, place, 'V');
  }

  function* newVersion(work: Work, row: Row, documentId: string): Locking<void> {
    yield documentId;
    const document = work.tx.get(documentId);
    if (document === undefined) return;
    const older = [...work.tx.rows(versions)].filter(
      (each) => each['ContentDocumentId'] === documentId && each.Id !== row.Id,
    );
    for (const each of older)
      if (each['IsLatest'] === true) work.tx.put({ ...each, IsLatest: false });
    work.tx.put({ ...row, VersionNumber: String(older.length + 1) });
    work.tx.put({ ...document, ...documentFields(row) });
  }

  return {
    derive({ tx }, row) {
      const body = row['VersionData'] ?? null;
      const path = row['PathOnClient'] ?? null;
      const missing = [
        ...(body === null ? ['VersionData'] : []),
        ...(path === null ? ['PathOnClient'] : []),
      ];
      if (missing.length > 0 || !Buffer.isBuffer(body)) {
        throw new ApiError(
          'REQUIRED_FIELD_MISSING',
          `Required fields are missing: [${missing.join(', ')}]`,
          {
            fields: missing,
          },
        );
      }
      let added = body.length;
      for (const each of tx.written) {
        const data = each['VersionData'];
        if (Buffer.isBuffer(data) && database.get(each.Id) === undefined) added += data.length;
      }
      if (database.fileBytes + added > storageBytes) throw storageFull();
      publish();
      return described(row, body, String(path));
    },
    *inserted(work, row) {
      const documentId = row['ContentDocumentId'] ?? null;
      if (typeof documentId === 'string') yield* newVersion(work, row, documentId);
      else yield* newDocument(work, row);
    },
  };
}

function described(row: Row, body: Buffer, path: string): Values {
  const extension = extname(path).slice(1);
  const name = path.split(/[\\/]/).at(-1) ?? path;
  return {
    Title: row['Title'] ?? (extension === '' ? name : name.slice(0, -extension.length - 1)),
    FileExtension: extension === '' ? null : extension,
    FileType:
      FILE_TYPES[extension.toLowerCase()] ??
      (extension === '' ? 'UNKNOWN' : extension.toUpperCase()),
    ContentSize: body.length,
    Checksum: createHash('md5').update(body).digest('hex'),
    VersionNumber: '1',
    IsLatest: true,
  };
}

function documentFields(version: Row): Values {
  const { Title = null, FileExtension = null, FileType = null, ContentSize = null } = version;
  return { Title, FileExtension, FileType, ContentSize, LatestPublishedVersionId: version.Id };
}

/** Files, their versions and their links: "ContentDocumentLink" of the object reference lists what a file is linked to. */
const NO_PARENTS = ['068', '069', '06A'];

/** A link shares a file with a record, a person or a group, not with another file. */
export const contentDocumentLink: Behaviour = {
  derive(_, row) {
    const id = String(row['LinkedEntityId'] ?? '');
    if (!NO_PARENTS.includes(id.slice(0, 3))) return {};
    throw new ApiError(
      'FIELD_INTEGRITY_EXCEPTION',
      `Linked Entity ID: id value of incorrect type: ${id}`,
      { fields: ['LinkedEntityId'] },
    );
  },
};

/** People are called by both their names. */
export const person: Behaviour = {
  derive: (_, row) => ({
    Name: [row['FirstName'], row['LastName']].filter((part) => (part ?? null) !== null).join(' '),
  }),
};
