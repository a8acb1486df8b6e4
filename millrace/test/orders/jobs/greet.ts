import { defineJob, done } from 'millrace';
import { z } from 'zod';

export const greet = defineJob({
  kind: 'greet',
  input: z.object({ name: z.string() }),
  public: true,
  async run({ data }) {
    return done(`Good morning, ${data.name}.`);
  },
});
