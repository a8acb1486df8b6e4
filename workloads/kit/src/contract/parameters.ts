import { z } from 'zod';

const value = z.union([z.string(), z.array(z.string())]).nullable();

/** A parameter as a field of a form, in the words of parameters/types.ts. */
export const parameterField = z.object({
  name: z.string(),
  type: z.enum([
    'text',
    'whole number',
    'decimal',
    'date',
    'date range',
    'month',
    'boolean',
    'choice',
  ]),
  label: z.string(),
  help: z.string().nullable(),
  required: z.boolean().describe('Has no default: it must be given.'),
  canBeEmpty: z.boolean(),
  list: z.boolean().describe('It takes several values.'),
  choices: z
    .array(
      z.object({
        value: z.string().describe('As it is given.'),
        label: z.string().describe('For people.'),
      }),
    )
    .describe('Of the type "choice": the only values that it takes.'),
  suggests: z
    .boolean()
    .describe('Of a report: GET /reports/NAME/suggestions/PARAMETER has values.'),
  min: z.string().nullable().describe('Of numbers and dates; of a text, its length.'),
  max: z.string().nullable(),
  default: value.describe('As the file says it, such as "last month"; null: none.'),
  defaultNow: value.describe('The same as it is today: "2026-01".'),
  example: z.string().describe('For a command line: "--month 2026-01".'),
});

/** Something that is wrong with a file of people's own. */
export const fileProblem = z.object({
  file: z.string().describe('Within its folder.'),
  line: z.number().describe('From 1.'),
  column: z.number().describe('From 1.'),
  message: z.string(),
});
