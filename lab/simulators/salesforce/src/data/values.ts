import { ApiError } from '../errors.ts';
import { normalizeId } from '../ids.ts';
import type { Field } from '../schema/sobject.ts';
import { parseMoment } from './dates.ts';
import type { Value } from './database.ts';

/** JSON that came in becomes the value of a field. What is of the wrong kind fails the whole request. */
export function coerce(field: Field, json: unknown): Value {
  if (json === null || json === undefined || json === '') {
    if (field.type !== 'boolean') return null;
    throw wrongType(field, '');
  }
  switch (field.type) {
    case 'boolean':
      return toBoolean(field, json);
    case 'double':
    case 'int':
      return toNumber(field, json);
    case 'date':
    case 'datetime':
      return toMoment(field, json);
    case 'base64':
      return toBytes(field, json);
    case 'id':
    case 'reference':
      return toReference(field, json);
    default:
      return toText(field, json);
  }
}

function toText(field: Field, json: unknown): Value {
  if (typeof json !== 'string') throw cannotRead('string', json);
  if (field.type === 'longtext') return json.trimEnd() === '' ? null : json;
  return json.trim() === '' ? null : json.trim();
}

function toBoolean(field: Field, json: unknown): Value {
  if (typeof json === 'boolean') return json;
  if (json === 'true' || json === 'false') return json === 'true';
  throw wrongType(field, json);
}

function toNumber(field: Field, json: unknown): Value {
  const isNumeric = typeof json === 'string' && /^\s*[-+]?\d+(\.\d*)?(e[-+]?\d+)?\s*$/i.test(json);
  if (typeof json !== 'number' && !isNumeric) throw cannotRead(field.type, json);
  const number = Number(json);
  if (field.type === 'int') return Math.trunc(number);
  const shift = 10 ** field.scale;
  // Beyond 2^53 there is nothing behind the point to round.
  return Math.abs(number) > Number.MAX_SAFE_INTEGER / shift
    ? number
    : (Math.sign(number) * Math.round(Math.abs(number) * shift)) / shift;
}

function toMoment(field: Field, json: unknown): Value {
  const moment = typeof json === 'string' ? parseMoment(json) : null;
  if (moment === null) throw cannotRead(field.type, json);
  if (field.type === 'datetime') return wholeSeconds(moment.ms);
  return moment.isDate ? String(json).trim() : new Date(moment.ms).toISOString().slice(0, 10);
}

function toBytes(field: Field, json: unknown): Value {
  if (Buffer.isBuffer(json)) return json;
  if (typeof json !== 'string' || !/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(json)) {
    throw cannotRead(field.type, 'that is not base64');
  }
  return Buffer.from(json, 'base64');
}

function toReference(field: Field, json: unknown): Value {
  if (typeof json !== 'string') throw cannotRead('id', json);
  const id = normalizeId(json.trim());
  if (id !== null) return id;
  throw new ApiError('MALFORMED_ID', `${field.label}: id value of incorrect type: ${json}`, {
    fields: [field.name],
  });
}

function cannotRead(type: string, json: unknown): ApiError {
  const shown = typeof json === 'string' ? json.slice(0, 100) : JSON.stringify(json)?.slice(0, 100);
  return new ApiError(
    'JSON_PARSER_ERROR',
    `Cannot deserialize instance of ${type} from ${tokenOf(json)} value ${shown ?? ''} or request may be missing a required field at [line:1, column:2]`,
  );
}

function tokenOf(json: unknown): string {
  if (typeof json === 'string') return 'VALUE_STRING';
  if (typeof json === 'number')
    return Number.isInteger(json) ? 'VALUE_NUMBER_INT' : 'VALUE_NUMBER_FLOAT';
  if (typeof json === 'boolean') return json ? 'VALUE_TRUE' : 'VALUE_FALSE';
  return Array.isArray(json) ? 'START_ARRAY' : 'START_OBJECT';
}

function wrongType(field: Field, json: unknown): ApiError {
  return new ApiError(
    'INVALID_TYPE_ON_FIELD_IN_RECORD',
    `${field.label}: value not of required type: ${typeof json === 'string' ? json : JSON.stringify(json)}`,
    { fields: [field.name] },
  );
}

/** Refuses values that a record may not have: too long, too large, not in the list. Fails that record alone. */
export function checkValue(field: Field, value: Value): void {
  if (value === null) return;
  if (typeof value === 'string' && field.length > 0 && value.length > field.length) {
    throw new ApiError(
      'STRING_TOO_LONG',
      `${field.label}: data value too large: ${value.slice(0, 255)} (max length=${field.length})`,
      { fields: [field.name] },
    );
  }
  if (field.type === 'picklist' && field.restricted && !field.values.includes(String(value))) {
    throw new ApiError(
      'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
      `${field.label}: bad value for restricted picklist field: ${String(value)}`,
      { fields: [field.name] },
    );
  }
  if (field.type === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(String(value))) {
    throw new ApiError(
      'INVALID_EMAIL_ADDRESS',
      `${field.label}: invalid email address: ${String(value)}`,
      {
        fields: [field.name],
      },
    );
  }
  if (field.type === 'double' && Math.abs(Number(value)) >= 10 ** (field.precision - field.scale)) {
    throw new ApiError(
      'NUMBER_OUTSIDE_VALID_RANGE',
      `${field.label}: value outside of valid range on numeric field: ${String(value)}`,
      { fields: [field.name] },
    );
  }
}

/** Salesforce keeps whole seconds. Fractions are cut. */
export function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
