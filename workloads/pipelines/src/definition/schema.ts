import {
  fields,
  givenWords,
  oneOrMore,
  parameterName,
  parameterWords,
  word,
} from '@millrace/workload-kit';
import { z } from 'zod';
import { ON_FAILURE, STEP_TYPES, TESTS } from './plan.ts';

/** What a pipeline file says, field by field, before anything is held against anything else in it. */

const text = z.string().min(1);

export const stepName = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, {
  error:
    'a step is named with small letters, digits and _, of which the first is a letter; 40 at most.',
});

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

const value = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: 'write a text or a number, true, false or null.',
});
const one = value.optional();
const many = oneOrMore(value).optional();
const tests = fields({
  is: one,
  isNot: one,
  above: one,
  atLeast: one,
  below: one,
  atMost: one,
  oneOf: many,
} satisfies Record<(typeof TESTS)[number], z.ZodType>);
/** `state: done` is short for `state: { is: done }`. */
const condition = z.preprocess(
  (given) => (typeof given === 'object' && given !== null ? given : { is: given }),
  tests,
);

/** One, several, or none: a step that waits for nobody. */
const names = z.preprocess(
  (given) => (typeof given === 'string' ? [given] : given),
  z.array(stepName),
);

const input = z.record(z.string(), z.unknown()).optional();
const step = fields({
  title: text.optional(),
  after: names.optional(),
  when: z.record(z.string(), condition).optional(),
  onFailure: word(ON_FAILURE).optional(),
  ...(Object.fromEntries(STEP_TYPES.map((type) => [type, input])) as Record<
    (typeof STEP_TYPES)[number],
    typeof input
  >),
});

const schedule = fields({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,99}$/, {
      error: 'a schedule is named with small letters, digits and hyphens.',
    })
    .optional(),
  cron: text,
  timeZone: timeZone.optional(),
  parameters: z.record(parameterName, givenWords).optional(),
  as: text,
  missed: word(['last', 'skip', 'all']).optional(),
  overlap: word(['skip', 'allow']).optional(),
});

export const pipelineFile = fields({
  title: text,
  description: text.optional(),
  timeZone: timeZone.optional(),
  parameters: z.record(parameterName, parameterWords).optional(),
  steps: z.record(stepName, step),
  schedule: oneOrMore(schedule).optional(),
});

export type PipelineFile = z.output<typeof pipelineFile>;
export type StepWords = PipelineFile['steps'][string];
export type ScheduleWords = NonNullable<PipelineFile['schedule']>[number];
