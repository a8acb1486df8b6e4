import { defineJob, done } from 'millrace';
import { z } from 'zod';

export const confirmOrder = defineJob({
  kind: 'confirm-order',
  input: z.object({ article: z.string() }),
  run: async ({ data }) => done(`The ${data.article} is on its way.`),
});
