import type { FieldUse } from './compile/ops/uses.ts';
import { keyInTag } from './paths.ts';
import { nearest, shapeOfSample, unknownAt } from './shape.ts';

/**
 * A sentence about what every document of a template prints and the data does not have at all, or null. Such a field is
 * left empty unless `strict` refuses it, and nobody looks for "Dear ," in a document that was made without a word. Fields in
 * blocks and with a default are meant to be missing now and then; null says that somebody knows of the field.
 */
export function missingFields(fields: readonly FieldUse[], data: unknown): string | null {
  const printed = fields.filter((use) => use.required && use.conditional !== true);
  const paths = [...new Set(printed.map(({ path }) => path))];
  const shape = shapeOfSample(data);
  const missing = paths.flatMap((path) => {
    const unknown = unknownAt(shape, path);
    return unknown === undefined ? [] : [{ path, ...unknown }];
  });
  if (missing.length === 0) return null;
  const named = missing.slice(0, MOST_NAMED).map(({ path, key, known }) => {
    const near = nearest(key, known);
    return near === undefined ? path : `${path} (it has ${keyInTag(near)})`;
  });
  const more = missing.length > MOST_NAMED ? ` and ${missing.length - MOST_NAMED} more` : '';
  return `The data has nothing for ${named.join(', ')}${more}: left empty.`;
}

const MOST_NAMED = 10;
