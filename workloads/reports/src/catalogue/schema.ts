import { type Duration, toMs } from '@millrace/engine';
import { COMPRESSIONS, TABLE_FORMATS } from '@millrace/tables';
import { ROLES, fields, oneOrMore, word } from '@millrace/workload-kit';
import { z } from 'zod';
import { claimName, claimValues } from '../identity/services.ts';
import { PARAMETER_TYPES } from '../parameters/types.ts';
import type { ColumnFormat } from './types.ts';

/** What a report file says, field by field, before anything is held against anything else in it. */

const text = z.string().min(1);
const scalar = z
  .union([z.string(), z.number(), z.boolean()], { error: 'write a text or a number.' })
  .transform(String);
/** A value of a parameter: words, numbers, true or false, a list of them, or nothing. */
const given = z.union([scalar, z.array(scalar), z.null()], {
  error: 'write a value, or a list of values.',
});

export const parameterName = z.string().regex(/^[a-z][a-z0-9_]{0,30}$/, {
  error:
    'a parameter is named with small letters, digits and _, of which the first is a letter; 31 at most.',
});
const reportName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,99}$/, {
  error: 'write the name of a report: that of its file, without .yaml.',
});
const column = z.string().min(1).max(63);
const serviceName = text;

const UNIT = { error: 'write a number with its unit, such as 30m, 24h or 7d.' };
const duration = z
  .string(UNIT)
  .regex(/^\d{1,9}(\.\d+)?(s|m|h|d)$/, UNIT)
  .transform((value) => toMs(value as Duration))
  .refine((ms) => ms > 0, { error: 'write a time above 0.' });

const timeZone = z.string().refine(isTimeZone, {
  error: 'this is no time zone. Write an IANA name, such as Europe/Berlin or UTC.',
});

function isTimeZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en-US', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

const choices = z.union(
  [
    z
      .array(scalar)
      .min(1)
      .transform((values) => values.map((value) => ({ value, label: value }))),
    z
      .record(z.string(), scalar)
      .transform((labels) => Object.entries(labels).map(([value, label]) => ({ value, label }))),
  ],
  { error: 'write a list of values, or values with their labels, such as open: Still open.' },
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
  default: given.optional(),
  min: scalar.optional(),
  max: scalar.optional(),
  choices: choices.optional(),
  list: z.boolean().optional(),
});
/** `county: whole number` is short for a type and nothing else. */
const parameter = z.preprocess(
  (value) => (typeof value === 'string' ? { type: value } : value),
  parameterFields,
);

const FORMATS: Readonly<Record<string, ColumnFormat>> = {
  text: { as: 'text' },
  'whole number': { as: 'whole number' },
  date: { as: 'date' },
  'date and time': { as: 'date and time' },
  boolean: { as: 'boolean' },
};
const format = z.string().transform((words, context): ColumnFormat => {
  const [, places] = /^(\d{1,2}) decimals?$/.exec(words) ?? [];
  if (places !== undefined && Number(places) <= 18)
    return { as: 'decimal', places: Number(places) };
  if (Object.hasOwn(FORMATS, words)) return FORMATS[words] ?? { as: 'text' };
  const all = [...Object.keys(FORMATS), '2 decimals'].join(', ');
  context.addIssue({ code: 'custom', message: `there is no format "${words}". There are ${all}.` });
  return z.NEVER;
});
const columnFields = fields({
  label: text.optional(),
  format: format.optional(),
  hidden: z.boolean().optional(),
});
/** `hours: Hours worked` is short for a label. */
const columnWords = z.preprocess(
  (value) => (typeof value === 'string' ? { label: value } : value),
  columnFields,
);

const condition = { column, claim: claimName.optional(), is: oneOrMore(scalar).optional() };
const rowRule = fields({
  roles: oneOrMore(word(ROLES)).optional(),
  when: claimValues.optional(),
  see: word(['all', 'nothing'], { everything: 'all', none: 'nothing' }).optional(),
  ...condition,
  column: column.optional(),
  all: z.array(fields(condition)).min(1).optional(),
});

const output = fields({
  format: word(TABLE_FORMATS, { json: 'jsonl', excel: 'xlsx' }).optional(),
  compression: word([...COMPRESSIONS, 'none']).optional(),
});

const schedule = fields({
  name: reportName.optional(),
  cron: text,
  timeZone: timeZone.optional(),
  parameters: z.record(parameterName, given).optional(),
  as: serviceName,
  output: output.optional(),
  missed: word(['last', 'skip', 'all']).optional(),
  overlap: word(['skip', 'allow']).optional(),
});

const count = z.int().min(0);
const when = fields({
  rows: fields({ above: count.optional(), below: count.optional() }).optional(),
  parameters: z.record(parameterName, oneOrMore(z.union([scalar, z.null()]))).optional(),
  as: serviceName.optional(),
});
const parentFields = fields({
  report: reportName,
  match: parameterName.optional(),
  when: when.optional(),
});
/** `- payments` is short for a parent of which nothing else is said. */
const parent = z.preprocess(
  (value) => (typeof value === 'string' ? { report: value } : value),
  parentFields,
);
const after = fields({
  report: reportName.optional(),
  all: z
    .array(parent)
    .min(2, { error: 'name two reports or more; one is named with report.' })
    .optional(),
  match: parameterName.optional(),
  within: duration.optional(),
  when: when.optional(),
  parameters: z.record(parameterName, given).optional(),
  as: serviceName,
  output: output.optional(),
});

export const reportFile = fields({
  title: text,
  description: text.optional(),
  parameters: z.record(parameterName, parameter).optional(),
  sql: text,
  key: oneOrMore(column),
  columns: z.record(column, columnWords).optional(),
  rows: oneOrMore(rowRule).optional(),
  public: z.boolean().optional(),
  asOf: column.optional(),
  outputs: fields({
    formats: oneOrMore(word(TABLE_FORMATS, { json: 'jsonl', excel: 'xlsx' })).optional(),
    compression: word([...COMPRESSIONS, 'none']).optional(),
    file: text.optional(),
  }).optional(),
  expires: duration.optional(),
  timeZone: timeZone.optional(),
  timeout: duration.optional(),
  schedule: oneOrMore(schedule).optional(),
  after: oneOrMore(after).optional(),
  cover: z
    .preprocess(
      (value) => (typeof value === 'string' ? { template: value } : value),
      fields({ template: text, when: word(['always', 'rows']).optional() }),
    )
    .optional(),
  keepToken: z.boolean().optional(),
});

export type ReportFile = z.output<typeof reportFile>;
export type ParameterWords = z.output<typeof parameterFields>;
export type RowRuleWords = z.output<typeof rowRule>;
export type ScheduleWords = z.output<typeof schedule>;
export type AfterWords = z.output<typeof after>;
export type OutputWords = z.output<typeof output>;
