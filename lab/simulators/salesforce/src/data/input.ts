import { ApiError } from '../errors.ts';
import type { SObject } from '../schema/sobject.ts';
import type { Value, Values } from './database.ts';
import { coerce } from './values.ts';

/** The fields of a record as JSON. What is wrong here is wrong with the request, not with the record. */
export function readRecord(object: SObject, json: unknown, mode: 'insert' | 'update'): Values {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new ApiError(
      'JSON_PARSER_ERROR',
      'The body must be a JSON object with the fields of the record.',
    );
  }
  const values: Record<string, Value> = {};
  const closed: string[] = [];
  for (const [name, given] of Object.entries(json)) {
    if (name === 'attributes') continue;
    const field = object.fields.get(name.toLowerCase());
    if (field === undefined) {
      throw new ApiError(
        'INVALID_FIELD',
        `No such column '${name}' on sobject of type ${object.name}`,
      );
    }
    if (field.name === 'Id') throw idGiven(mode);
    if (!(mode === 'insert' ? field.createable : field.updateable)) closed.push(field.name);
    else values[field.name] = coerce(field, given);
  }
  if (closed.length > 0) {
    throw new ApiError(
      'INVALID_FIELD_FOR_INSERT_UPDATE',
      `Unable to create/update fields: ${closed.join(', ')}. Please check the security settings of this field and verify that it is read/write for your profile or permission set.`,
      { fields: closed },
    );
  }
  return values;
}

function idGiven(mode: 'insert' | 'update'): ApiError {
  return mode === 'insert'
    ? new ApiError('INVALID_FIELD_FOR_INSERT_UPDATE', 'cannot specify Id in an insert call', {
        fields: ['Id'],
      })
    : new ApiError('INVALID_FIELD', 'The Id field should not be specified in the sobject data.');
}
