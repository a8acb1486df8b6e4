import { type Duration, toMs } from '@millrace/engine';
import { COMPRESSIONS, TABLE_FORMATS } from '@millrace/tables';
import {
  ROLES,
  claimName,
  claimValues,
  fields,
  givenWords as given,
  oneOrMore,
  parameterName,
  parameterWords as parameter,
  scalarWords as scalar,
  word,
} from '@millrace/workload-kit';
import { z } from 'zod';
import type { ColumnFormat } from './types.ts';

/** What a report file says, field by field, before anything is held against anything else in it. */

const text = z.string().min(1);
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
export const columnWords = z.preprocess(
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
/** One value or several, of which null stands for none. */
const conditionValues = z.preprocess(
  (value) => (Array.isArray(value) || value === undefined ? value : [value]),
  z.array(z.union([scalar, z.null()], { error: 'write a text or a number.' })).min(1),
);
const when = fields({
  rows: fields({ above: count.optional(), below: count.optional() }).optional(),
  parameters: z.record(parameterName, conditionValues).optional(),
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
  key: oneOrMore(column, 'the columns that are together different in each row, such as id'),
  columns: z.record(column, columnWords).optional(),
  rows: oneOrMore(rowRule).optional(),
  public: z.boolean().optional(),
  totals: word(['visible rows', 'all rows']).optional(),
  asOf: column.optional(),
  outputs: fields({
    formats: oneOrMore(word(TABLE_FORMATS, { json: 'jsonl', excel: 'xlsx' })).optional(),
    compression: word([...COMPRESSIONS, 'none']).optional(),
    file: text.optional(),
  }).optional(),
  formulaGuard: z.boolean().optional(),
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
  handOver: z
    .url({
      protocol: /^https?$/,
      error:
        'write the URL of the service that gets the message, such as https://hooks.example.com/reports.',
    })
    .optional(),
});

export type ReportFile = z.output<typeof reportFile>;
export type RowRuleWords = z.output<typeof rowRule>;
export type ScheduleWords = z.output<typeof schedule>;
export type AfterWords = z.output<typeof after>;
export type OutputWords = z.output<typeof output>;
