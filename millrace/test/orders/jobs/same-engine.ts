import { defineJob, done } from '@millrace/engine';
import { defineJob as offered } from 'millrace';
import { z } from 'zod';

/** A kind made by one copy of the engine and run by another would still work; its errors would not be told apart. */
export const sameEngine = defineJob({
  kind: 'same-engine',
  input: z.object({}),
  public: true,
  async run() {
    return done(offered === defineJob ? 'one engine' : 'two engines');
  },
});
