/** Job files as people write them. */

export const HELLO = `
  import { defineJob, done, type JobKind } from '@millrace/engine';
  import { z } from 'zod';
  interface Name { readonly name: string }
  export const hello: JobKind<Name> = defineJob({
    kind: 'hello',
    input: z.object({ name: z.string() }) satisfies z.ZodType<Name>,
    public: true,
    run: async ({ data }) => done({ greeting: \`Hello \${data.name}\` }),
  });
`;

export const PLAIN = `
  import { defineJob } from '@millrace/engine';
  import { z } from 'zod';
  export default defineJob({ kind: 'plain', input: z.object({}), run: async () => {} });
`;

export const RULES = `
  import { defineRule } from '@millrace/engine';
  export const chain = defineRule({ name: 'chain', parents: ['hello'], child: 'plain', data: () => ({}) });
  export const nightly = { name: 'nightly', cron: '0 2 * * *', job: { kind: 'plain', data: {} } };
`;

/** Says when it has begun. */
export const SLOW = `
  import { setTimeout } from 'node:timers/promises';
  import { defineJob, done } from '@millrace/engine';
  import { z } from 'zod';
  export const slow = defineJob({
    kind: 'slow',
    input: z.object({ ms: z.number() }),
    public: true,
    async run({ data }, { log }) {
      log.info({}, 'slow has begun');
      await setTimeout(data.ms);
      return done('slept');
    },
  });
`;

/** Leaves a promise behind that nobody waits for. */
export const CARELESS = `
  import { defineJob, done } from '@millrace/engine';
  import { z } from 'zod';
  export const careless = defineJob({
    kind: 'careless',
    input: z.object({}),
    public: true,
    async run() {
      void Promise.reject(new Error('nobody waits for me'));
      return done();
    },
  });
`;

export const WITHOUT_DEFINE_JOB = `
  import { z } from 'zod';
  export const k = { kind: 'k', input: z.object({}), run: async () => {} };
`;

export const BAD_NAME = `
  import { defineJob } from '@millrace/engine';
  import { z } from 'zod';
  export const k = defineJob({ kind: 'Not A Name', input: z.any(), run: async () => {} });
`;
