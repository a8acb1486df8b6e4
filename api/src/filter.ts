import { anyMoment, jobState, kindName, tenantName } from '@millrace/workload-kit/contract';
import { z } from 'zod';

/** Where a job is, as people say it. The engine's words, in its order: docs/tables.test.ts holds them together. */
export const JOB_PHASES = [
  'due',
  'scheduled',
  'retrying',
  'running',
  'succeeded',
  'failed',
  'canceled',
] as const;
export type JobPhase = (typeof JOB_PHASES)[number];

const MOST_KINDS = 50;

/** One of a few words, or several of them with commas between. */
function several(words: readonly string[]) {
  return z
    .string()
    .min(1)
    .max(200)
    .refine((text) => text.split(',').every((word) => words.includes(word)), {
      error: `Write one of ${words.join(', ')}, or several with commas between.`,
    });
}

const kinds = z
  .string()
  .min(1)
  .max(2_000)
  .refine(
    (text) => {
      const names = text.split(',');
      return names.length <= MOST_KINDS && names.every((name) => kindName.safeParse(name).success);
    },
    { error: `Write the name of a kind, or up to ${MOST_KINDS} with commas between.` },
  );

/** Which jobs. What is left out does not matter. */
export const jobFilter = z.strictObject({
  state: several(jobState.options)
    .optional()
    .describe('The job’s state; several separated by commas.'),
  phase: several(JOB_PHASES)
    .optional()
    .describe(
      'Finer than `state`, and used instead of it: of QUEUED jobs, `due` ones can run now, `scheduled` ones run later, `retrying` ones wait for their next attempt. Several separated by commas.',
    ),
  kind: kinds.optional().describe('The job’s kind; several separated by commas.'),
  tenant: tenantName.optional(),
  submitter: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The submitter’s name; `me` is the caller.'),
  worker: z.string().min(1).max(255).optional().describe('Only jobs running on this replica.'),
  schedule: z.string().min(1).max(255).optional().describe('The schedule that created the job.'),
  key: z.string().min(1).max(255).optional().describe('The key it was enqueued with.'),
  correlationId: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The correlation id of the request that created the job.'),
  errorCode: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('The code of its last failure, such as "timeout".'),
  q: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Matches id, key, correlation id or submitter exactly, or the start of the kind.'),
  createdAfter: anyMoment.optional().describe('Created after this time.'),
  createdBefore: anyMoment.optional().describe('Created before this time.'),
});
export type JobFilter = z.input<typeof jobFilter>;

/** The two ways to say where a job is do not go together. */
export function narrowed<
  Filter extends z.ZodType<{ state?: string | undefined; phase?: string | undefined }>,
>(filter: Filter): Filter {
  return filter.refine(({ state, phase }) => state === undefined || phase === undefined, {
    error: 'Give a state or a phase, not both.',
    path: ['phase'],
  });
}

/** Forgetting a filter must not cancel everything. */
export const bulk = narrowed(
  jobFilter
    .extend({ all: z.literal(true).optional().describe('Required when no filter is given.') })
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      error: 'Give a filter, or "all": true to mean every job.',
    })
    .meta({ minProperties: 1 }),
);
