import type { FieldUse } from './compile/ops/uses.ts';
import { unprintable } from './merge/printable.ts';
import { follow, listOf } from './merge/scope.ts';
import { keyInTag, stepsOf } from './paths.ts';
import { nearest, shapeOfSample, unknownAt } from './shape.ts';

/**
 * Sentences about what a document was left without, or null: fields that every document of a template prints and the data does
 * not have at all, and values that have no text. `strict` refuses both, and nobody looks for "Dear ," in a document that was made
 * without a word. Fields in blocks and with a default are meant to be missing now and then; null says that somebody knows of
 * the field.
 */
export function missingFields(fields: readonly FieldUse[], data: unknown): string | null {
  const sentences = [lacking(fields, data), ...withoutText(fields, data)];
  return sentences.filter((one) => one !== null).join(' ') || null;
}

function lacking(fields: readonly FieldUse[], data: unknown): string | null {
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

/** Objects, lists of them and NaN: a tag that prints one prints nothing. */
function withoutText(fields: readonly FieldUse[], data: unknown): string[] {
  const paths = new Set(fields.filter(({ kind }) => kind === 'value').map(({ path }) => path));
  const sentences = [...paths].flatMap((path) => {
    const name = path.replace(/^.*\[\]\.?/, '') || 'this';
    const why = valuesAt(data, path)
      .map((value) => unprintable(value, name))
      .find((one) => one !== undefined);
    return why === undefined ? [] : [why];
  });
  return sentences.slice(0, MOST_NAMED);
}

/** The items of each list that are looked at: what is wrong with one is mostly wrong with all of them. */
const MOST_ITEMS = 100;

function valuesAt(data: unknown, path: string): unknown[] {
  let values = [data];
  for (const { key, lists } of stepsOf(path)) {
    if (key !== '') values = values.map((value) => follow(value, [key]));
    for (let n = 0; n < lists; n++)
      values = values.flatMap((value) => listOf(value) ?? []).slice(0, MOST_ITEMS);
  }
  return values;
}
