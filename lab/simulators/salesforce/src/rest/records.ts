import { readRecord } from '../data/input.ts';
import { type Row, uniqueKey } from '../data/database.ts';
import { coerce } from '../data/values.ts';
import { ApiError, notFound } from '../errors.ts';
import { normalizeId, prefixOf } from '../ids.ts';
import type { Field, SObject } from '../schema/sobject.ts';
import { renderRecord } from '../soql/render.ts';
import {
  isObject,
  type Leaf,
  type LeafHandler,
  methodNotAllowed,
  type Reply,
  type RestRequest,
} from './request.ts';

/** `POST …/sobjects/X`. */
export async function createRecord({ org, work, request }: Leaf, object: SObject): Promise<Reply> {
  const values = readRecord(object, request.body(), 'insert');
  const id = await org.dml.insert(work, object, values);
  return {
    status: 201,
    headers: { location: `/services/data/${request.version}/sobjects/${object.name}/${id}` },
    body: { id, success: true, errors: [] },
  };
}

/** `…/sobjects/X/{id}`. */
export async function oneRecord(leaf: Leaf, object: SObject, given: string): Promise<Reply> {
  const { org, work, request } = leaf;
  const id = normalizeId(given);
  if (id === null || prefixOf(id) !== object.keyPrefix) throw noSuchField(given);
  const row = work.tx.get(id);
  if (row === undefined) throw notFound();
  switch (request.method) {
    case 'GET':
    case 'HEAD':
      return readOne(leaf, object, row);
    case 'PATCH':
      checkPreconditions(request, object, row);
      await org.dml.update(work, object, id, readRecord(object, request.body(), 'update'));
      return { status: 204 };
    case 'DELETE':
      checkPreconditions(request, object, row);
      await org.dml.remove(work, object, id);
      return { status: 204 };
    default:
      throw methodNotAllowed(request.method, ['HEAD', 'GET', 'PATCH', 'DELETE']);
  }
}

function readOne({ request }: Leaf, object: SObject, row: Row): Reply {
  if (row['IsDeleted'] === true) {
    throw new ApiError('NOT_FOUND', 'The requested resource does not exist');
  }
  checkPreconditions(request, object, row);
  const tag = entityTag(object, row);
  const headers = {
    'last-modified': new Date(Number(row['LastModifiedDate'])).toUTCString(),
    ...(tag === null ? {} : { etag: tag }),
  };
  if (isUnchanged(request, object, row)) return { status: 304, headers };
  const asked = request.query.get('fields');
  const body = renderRecord(request.version, object, row, fieldsAsked(object, asked));
  return { status: 200, headers, body };
}

/** The named fields, and the id in any case. */
export function fieldsAsked(object: SObject, names: string | null): Iterable<Field> {
  if (names === null || names === '') return object.fields.values();
  const fields = names.split(',').map((name) => {
    const field = object.fields.get(name.trim().toLowerCase());
    if (field !== undefined) return field;
    throw new ApiError(
      'INVALID_FIELD',
      `No such column '${name.trim()}' on sobject of type ${object.name}`,
    );
  });
  const id = object.fields.get('id');
  return id === undefined ? fields : new Set([...fields, id]);
}

/** `…/sobjects/X/{external id field}/{value}`: read, upsert or delete by it. */
export async function byExternalId(
  leaf: Leaf,
  object: SObject,
  fieldName: string,
  value: string,
): Promise<Reply> {
  const { org, work, request } = leaf;
  const field = externalField(object, fieldName);
  const found = findByField(leaf, object, field, value);
  if (found.length > 1) {
    const urls = found.map(
      ({ Id }) => `/services/data/${request.version}/sobjects/${object.name}/${Id}`,
    );
    return { status: 300, body: urls };
  }
  if (request.method === 'PATCH') return upsert(leaf, object, field, value, found[0]);
  const row = found[0];
  if (row === undefined) throw notFound();
  if (request.method === 'GET' || request.method === 'HEAD') return readOne(leaf, object, row);
  if (request.method !== 'DELETE')
    throw methodNotAllowed(request.method, ['HEAD', 'GET', 'PATCH', 'DELETE']);
  await org.dml.remove(work, object, row.Id);
  return { status: 204 };
}

/** It looks first and writes then: of two at the same moment, the second gets DUPLICATE_VALUE. */
async function upsert(
  { org, work, request }: Leaf,
  object: SObject,
  field: Field,
  value: string,
  found: Row | undefined,
): Promise<Reply> {
  const body = request.body();
  const names = isObject(body) ? Object.keys(body).map((name) => name.toLowerCase()) : [];
  if (names.includes(field.name.toLowerCase())) {
    throw new ApiError(
      'INVALID_FIELD',
      `The ${field.name} field should not be specified in the sobject data.`,
    );
  }
  if (found !== undefined) {
    await org.dml.update(work, object, found.Id, readRecord(object, body, 'update'));
    return { status: 200, body: { id: found.Id, success: true, errors: [], created: false } };
  }
  if (field.name === 'Id' || request.query.get('updateOnly') === 'true') throw notFound();
  const values = { ...readRecord(object, body, 'insert'), [field.name]: coerce(field, value) };
  const id = await org.dml.insert(work, object, values);
  return {
    status: 201,
    headers: { location: `/services/data/${request.version}/sobjects/${object.name}/${id}` },
    body: { id, success: true, errors: [], created: true },
  };
}

export function externalField(object: SObject, name: string): Field {
  const field = object.fields.get(name.toLowerCase());
  if (field !== undefined && (field.externalId || field.name === 'Id')) return field;
  throw noSuchField(name);
}

/** Records with this value. More than one: the field is an external id, but not unique. */
export function findByField(
  { work }: Pick<Leaf, 'work'>,
  object: SObject,
  field: Field,
  value: unknown,
): Row[] {
  const wanted = coerce(field, field.type === 'double' ? Number(value) : value);
  if (wanted === null) return [];
  const key = uniqueKey(object, field, wanted);
  const isSame = (row: Row): boolean => uniqueKey(object, field, row[field.name] ?? null) === key;
  if (field.unique && key !== null) {
    const id = work.tx.ownerOf(key);
    const row = id === undefined ? undefined : work.tx.get(id);
    return row === undefined || row['IsDeleted'] === true || !isSame(row) ? [] : [row];
  }
  return [...work.tx.rows(object)].filter(isSame);
}

function noSuchField(name: string): ApiError {
  return notFound(`Provided external ID field does not exist or is not accessible: ${name}`);
}

/** `GET …/sobjects/ContentVersion/{id}/VersionData`: the bytes themselves. */
export const blob: LeafHandler = async ({ org, work, request }) => {
  const [, type = '', given = '', fieldName = ''] = request.segments;
  const object = org.schema.require(type);
  const id = normalizeId(given);
  const row = id === null ? undefined : work.tx.get(id);
  const field = object.fields.get(fieldName.toLowerCase());
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead) throw methodNotAllowed(request.method, ['HEAD', 'GET']);
  if (request.isNested) {
    throw new ApiError(
      'INVALID_OPERATION',
      'Binary data cannot be read inside a composite request.',
    );
  }
  const value =
    row === undefined || row['IsDeleted'] === true || field === undefined ? null : row[field.name];
  if (!Buffer.isBuffer(value)) throw notFound();
  return { status: 200, headers: { 'content-type': 'application/octetstream' }, body: value };
};

/**
 * Conditional requests look at the record before it is locked. Whoever writes in between is overwritten: this is
 * no lock. Tags exist for accounts only, dates for every record, to the second.
 */
function checkPreconditions(request: RestRequest, object: SObject, row: Row): void {
  const since = dateOf(request, 'if-unmodified-since');
  const wanted = request.headers['if-match'];
  const tag = entityTag(object, row);
  const isStale = since !== null && modifiedAt(row) > since;
  const isOther = wanted !== undefined && tag !== null && !tagsOf(wanted).includes(tag);
  if (isStale || isOther) {
    throw new ApiError('PRECONDITION_FAILED', 'The record has changed since.', { status: 412 });
  }
}

/** For a read that says what it has: 304 when that is still it. */
function isUnchanged(request: RestRequest, object: SObject, row: Row): boolean {
  const tag = entityTag(object, row);
  const known = request.headers['if-none-match'];
  if (known !== undefined && tag !== null) return tagsOf(known).includes(tag);
  const since = dateOf(request, 'if-modified-since');
  return since !== null && modifiedAt(row) <= since;
}

function entityTag(object: SObject, row: Row): string | null {
  return object.name === 'Account' ? `"${modifiedAt(row).toString(36)}"` : null;
}

function tagsOf(header: string): string[] {
  return header.split(',').map((tag) => tag.trim().replace(/--gzip"$/, '"'));
}

function modifiedAt(row: Row): number {
  return Number(row['LastModifiedDate']);
}

function dateOf(request: RestRequest, name: string): number | null {
  const ms = Date.parse(request.headers[name] ?? '');
  return Number.isNaN(ms) ? null : ms;
}
