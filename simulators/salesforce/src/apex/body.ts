import { ApiError } from '../errors.ts';
import { normalizeId } from '../ids.ts';

/** What one list in a body may have. */
const MOST_ITEMS = 200;

/** Reads the body of an Apex REST request member by member, and says what is wrong with it. */
export interface Body {
  text(name: string): string;
  optionalText(name: string): string | null;
  flag(name: string): boolean;
  wholeNumber(name: string, least: number, most: number): number;
  optionalNumber(name: string, least: number, most: number): number | null;
  /** Rounded up: nothing comes too early. */
  optionalSeconds(name: string, most: number): number | null;
  id(name: string): string;
  ids(name: string): string[];
  objects(name: string): Body[];
}

export function badRequest(message: string): ApiError {
  return new ApiError('BAD_REQUEST', message);
}

export function readBody(json: unknown, keyPrefix: string, place = 'The body'): Body {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw badRequest(`${place} must be a JSON object.`);
  }
  const members: Readonly<Record<string, unknown>> = { ...json };

  function optionalText(name: string): string | null {
    const value = members[name] ?? null;
    if (value === null || typeof value === 'string') return value;
    throw badRequest(`${name} must be a text.`);
  }

  function text(name: string): string {
    const value = optionalText(name);
    if (value === null || value.trim() === '') throw badRequest(`${name} is missing.`);
    return value;
  }

  function optionalNumber(name: string, least: number, most: number): number | null {
    const value = members[name] ?? null;
    if (value === null) return null;
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      throw badRequest(`${name} must be a whole number.`);
    }
    if (value < least || value > most)
      throw badRequest(`${name} must be from ${least} to ${most}.`);
    return value;
  }

  function idOf(value: unknown, name: string): string {
    const id = typeof value === 'string' ? normalizeId(value) : null;
    if (id?.startsWith(keyPrefix) === true) return id;
    throw badRequest(`${name} must be the Id of a Generated_Document__c.`);
  }

  function items(name: string): readonly unknown[] {
    const value = members[name];
    if (!Array.isArray(value)) throw badRequest(`${name} must be a list.`);
    if (value.length > MOST_ITEMS) throw badRequest(`${name} may have ${MOST_ITEMS} at most.`);
    return value;
  }

  return {
    text,
    optionalText,
    flag(name) {
      const value = members[name] ?? false;
      if (typeof value !== 'boolean') throw badRequest(`${name} must be true or false.`);
      return value;
    },
    wholeNumber(name, least, most) {
      const value = optionalNumber(name, least, most);
      if (value === null) throw badRequest(`${name} is missing.`);
      return value;
    },
    optionalNumber,
    optionalSeconds(name, most) {
      const value = members[name] ?? null;
      if (value === null) return null;
      if (typeof value !== 'number') throw badRequest(`${name} must be a number of seconds.`);
      return Math.max(0, Math.min(Math.ceil(value), most));
    },
    id: (name) => idOf(text(name), name),
    ids: (name) => [...new Set(items(name).map((value) => idOf(value, name)))],
    objects: (name) => items(name).map((value) => readBody(value, keyPrefix, `Each of ${name}`)),
  };
}
