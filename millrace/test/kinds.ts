import { z } from 'zod';
import { JobFailure, defineJob, done } from '../src/index.ts';

export const greet = defineJob({
  kind: 'greet',
  input: z.object({ name: z.string(), polite: z.boolean().default(true) }),
  run: async ({ data }) => done(`${data.polite ? 'Good morning' : 'Hi'}, ${data.name}.`),
});

export const fail = defineJob({
  kind: 'fail',
  input: z.object({ why: z.string() }),
  run: async ({ data }) => {
    throw new JobFailure('no', data.why, { retryable: false });
  },
});
