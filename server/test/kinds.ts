import { JobFailure, RETRY, defineJob, done } from '@millrace/engine';
import { z } from 'zod';

export const hello = defineJob({
  kind: 'hello',
  input: z.object({ name: z.string() }),
  public: true,
  run: async ({ data }) => done({ greeting: `Hello ${data.name}` }),
});
export const broken = defineJob({
  kind: 'broken',
  input: z.object({}),
  public: true,
  retry: RETRY.never,
  run: async () => {
    throw new JobFailure('no_luck', 'It never works.', { retryable: false });
  },
});
export const internal = defineJob({
  kind: 'internal',
  input: z.object({}),
  run: async () => done(),
});
/** Runs until it is told to end. */
export const endless = defineJob({
  kind: 'endless',
  input: z.object({}),
  public: true,
  run: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
});
