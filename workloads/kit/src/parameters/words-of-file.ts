import { z } from 'zod';
import { fields, word } from '../definitions/check.ts';
import { PARAMETER_TYPES } from './types.ts';

/** What files say about parameters, field by field. */

const text = z.string().min(1);
/** As people write it: a text, a number, true or false. */
export const scalarWords = z
  .union([z.string(), z.number(), z.boolean()], { error: 'write a text or a number.' })
  .transform(String);
/** A value of a parameter: words, numbers, true or false, a list of them, or nothing. */
export const givenWords = z.union([scalarWords, z.array(scalarWords), z.null()], {
  error: 'write a value, or a list of values.',
});

export const parameterName = z.string().regex(/^[a-z][a-z0-9_]{0,30}$/, {
  error:
    'a parameter is named with small letters, digits and _, of which the first is a letter; 31 at most.',
});

const choices = z.union(
  [
    z
      .array(scalarWords)
      .min(1)
      .transform((values) => values.map((value) => ({ value, label: value }))),
    z
      .record(z.string(), scalarWords)
      .transform((labels) => Object.entries(labels).map(([value, label]) => ({ value, label }))),
  ],
  { error: 'write a list of values, or values with their labels, such as open: Still open.' },
);

/** Where values that people may choose from come from: the labels of an enum are SQL too. */
const suggest = z.union(
  [
    text,
    fields({
      enum: z.string().regex(/^[\p{L}_][\p{L}\d_]*(\.[\p{L}_][\p{L}\d_]*)?$/u, {
        error: 'write the name of an enum type of the database, such as order_status.',
      }),
    }).transform(({ enum: type }) => `SELECT unnest(enum_range(NULL::${type}))::text`),
  ],
  { error: 'write a SELECT, or the name of an enum, such as { enum: order_status }.' },
);

const parameterFields = fields({
  type: word(PARAMETER_TYPES, {
    string: 'text',
    varchar: 'text',
    int: 'whole number',
    integer: 'whole number',
    number: 'whole number',
    bigint: 'whole number',
    float: 'decimal',
    numeric: 'decimal',
    money: 'decimal',
    datetime: 'date',
    timestamp: 'date',
    day: 'date',
    range: 'date range',
    period: 'date range',
    dates: 'date range',
    bool: 'boolean',
    enum: 'choice',
    select: 'choice',
  }),
  label: text.optional(),
  help: text.optional(),
  required: z.boolean().optional(),
  default: givenWords.optional(),
  min: scalarWords.optional(),
  max: scalarWords.optional(),
  notBefore: text.optional(),
  choices: choices.optional(),
  list: z.boolean().optional(),
  suggest: suggest.optional(),
});
/** `county: whole number` is short for a type and nothing else. */
export const parameterWords = z.preprocess(
  (value) => (typeof value === 'string' ? { type: value } : value),
  parameterFields,
);

export type ParameterWords = z.output<typeof parameterFields>;
