import { readRecord } from '../data/input.ts';
import type { Values } from '../data/database.ts';
import { ApiError, type SaveError, asApiError, saveError } from '../errors.ts';
import { normalizeId, prefixOf, requireId } from '../ids.ts';
import type { SObject } from '../schema/sobject.ts';
import { renderRecord } from '../soql/render.ts';
import { externalField, fieldsAsked, findByField } from './records.ts';
import { type Leaf, type LeafHandler, isObject, methodNotAllowed, objectBody } from './request.ts';

const MOST = 200;

interface Saved {
  readonly id: string;
  readonly created?: boolean;
}

type Result = (Saved & { success: true; errors: [] }) | { success: false; errors: SaveError[] };

/** `…/composite/sobjects[/X[/Ext__c]]`: up to 200 records in one call. */
export const collections: LeafHandler = async (leaf) => {
  const { request, org } = leaf;
  const [, , type, fieldName] = request.segments;
  if (type === undefined) {
    if (request.method === 'POST') return { status: 200, body: await createMany(leaf) };
    if (request.method === 'PATCH') return { status: 200, body: await updateMany(leaf) };
    if (request.method === 'DELETE') return { status: 200, body: await deleteMany(leaf) };
    throw methodNotAllowed(request.method, ['POST', 'PATCH', 'DELETE']);
  }
  const object = org.schema.require(type);
  if (fieldName !== undefined) {
    if (request.method !== 'PATCH') throw methodNotAllowed(request.method, ['PATCH']);
    return { status: 200, body: await upsertMany(leaf, object, fieldName) };
  }
  if (request.method === 'GET' || request.method === 'POST') {
    return { status: 200, body: retrieveMany(leaf, object) };
  }
  throw methodNotAllowed(request.method, ['GET', 'POST']);
};

async function createMany(leaf: Leaf): Promise<Result[]> {
  const { org, work } = leaf;
  const { records, allOrNone } = recordsOf(leaf);
  const steps = records.map((record) => {
    const object = typeOf(leaf, record);
    const values = readRecord(object, record, 'insert');
    return async () => ({ id: await org.dml.insert(work, object, values) });
  });
  return saveAll(leaf, allOrNone, steps);
}

async function updateMany(leaf: Leaf): Promise<Result[]> {
  const { org, work } = leaf;
  const { records, allOrNone } = recordsOf(leaf);
  const steps = records.map((record) => {
    const object = typeOf(leaf, record);
    const { id, values } = idAndValues(object, record);
    return async () => {
      if (id === null)
        throw new ApiError('MISSING_ARGUMENT', 'Id not specified in an update call', {
          fields: ['Id'],
        });
      await org.dml.update(work, object, requireId(id), values);
      return { id: requireId(id) };
    };
  });
  return saveAll(leaf, allOrNone, steps);
}

async function upsertMany(leaf: Leaf, object: SObject, fieldName: string): Promise<Result[]> {
  const { org, work } = leaf;
  const field = externalField(object, fieldName);
  const { records, allOrNone } = recordsOf(leaf);
  const steps = records.map((record) => {
    const { id, values } = idAndValues(object, record);
    const key = field.name === 'Id' ? id : (values[field.name] ?? null);
    return async () => {
      const found = key === null ? [] : findByField(leaf, object, field, key);
      if (found.length > 1) {
        throw new ApiError(
          'DUPLICATE_EXTERNAL_ID',
          `${field.name}: more than one record found for external id field`,
          { fields: [field.name] },
        );
      }
      const row = found[0];
      if (row === undefined)
        return { id: await org.dml.insert(work, object, values), created: true };
      const { [field.name]: _, ...rest } = values;
      await org.dml.update(work, object, row.Id, rest);
      return { id: row.Id, created: false };
    };
  });
  return saveAll(leaf, allOrNone, steps);
}

async function deleteMany(leaf: Leaf): Promise<Result[]> {
  const { org, work, request } = leaf;
  const ids = (request.query.get('ids') ?? '').split(',').filter((id) => id !== '');
  checkCount(ids.length);
  const steps = ids.map((given) => async () => {
    const id = requireId(given.trim());
    const object = org.schema.byPrefix(prefixOf(id));
    if (object === undefined)
      throw new ApiError('INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', {
        fields: [],
      });
    await org.dml.remove(work, object, id);
    return { id };
  });
  return saveAll(leaf, request.query.get('allOrNone') === 'true', steps);
}

/** Each record stands alone, or none stands: the others then say why they were undone. */
async function saveAll(
  { work: { tx } }: Leaf,
  allOrNone: boolean,
  steps: readonly (() => Promise<Saved>)[],
): Promise<Result[]> {
  const start = tx.mark();
  const results: Result[] = [];
  for (const step of steps) {
    const before = tx.mark();
    try {
      results.push({ ...(await step()), success: true, errors: [] });
    } catch (thrown) {
      tx.rollbackTo(before);
      results.push({ success: false, errors: [saveError(asApiError(thrown))] });
    }
  }
  if (!allOrNone || results.every(({ success }) => success)) return results;
  tx.rollbackTo(start);
  return results.map((result) =>
    result.success ? { success: false, errors: [ROLLED_BACK] } : result,
  );
}

const ROLLED_BACK: SaveError = {
  statusCode: 'ALL_OR_NONE_OPERATION_ROLLED_BACK',
  message:
    'Record rolled back because not all records were valid and the request was using AllOrNone header',
  fields: [],
};

function retrieveMany({ work, request }: Leaf, object: SObject): unknown[] {
  const body = request.method === 'POST' ? objectBody(request) : {};
  const ids = Array.isArray(body['ids'])
    ? body['ids'].map(String)
    : (request.query.get('ids') ?? '').split(',');
  const names = Array.isArray(body['fields'])
    ? body['fields'].join(',')
    : request.query.get('fields');
  if (names === null || names === '') {
    throw new ApiError('MISSING_ARGUMENT', 'The fields parameter is required.');
  }
  checkCount(ids.length, 2000);
  const fields = [...fieldsAsked(object, names)];
  return ids.map((given) => {
    const id = normalizeId(given.trim());
    const row = id === null || prefixOf(id) !== object.keyPrefix ? undefined : work.tx.get(id);
    if (row === undefined || row['IsDeleted'] === true) return null;
    return renderRecord(request.version, object, row, fields);
  });
}

type Json = Readonly<Record<string, unknown>>;

function recordsOf({ request }: Leaf): { records: readonly Json[]; allOrNone: boolean } {
  const { records, allOrNone } = objectBody(request);
  if (!Array.isArray(records) || !records.every(isObject)) {
    throw new ApiError('JSON_PARSER_ERROR', 'The request body must have an array named records.');
  }
  checkCount(records.length);
  return { records, allOrNone: allOrNone === true };
}

function checkCount(count: number, most = MOST): void {
  if (count <= most) return;
  throw new ApiError(
    'EXCEEDED_ID_LIMIT',
    `record limit reached. cannot submit more than ${most} records into this call`,
  );
}

function typeOf({ org, request }: Leaf, record: Json): SObject {
  const attributes = record['attributes'];
  const type = isObject(attributes) ? attributes['type'] : undefined;
  if (typeof type !== 'string') {
    throw new ApiError(
      'INVALID_INPUT',
      `attributes.type is missing in a record of ${request.segments.join('/')}`,
    );
  }
  const object = org.schema.find(type);
  if (object !== undefined) return object;
  throw new ApiError('INVALID_TYPE', `sObject type '${type}' is not supported.`);
}

function idAndValues(object: SObject, record: Json): { id: string | null; values: Values } {
  const { id: small, Id: large, ...rest } = record;
  const id = coerceId(small ?? large);
  return { id, values: readRecord(object, rest, 'update') };
}

function coerceId(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
