import { createMillrace, defineJob, done } from 'millrace';
import pg from 'pg';
import { z } from 'zod';

const greet = defineJob({
  kind: 'greet',
  input: z.object({ name: z.string() }),
  run: async ({ data }) => done(`Good morning, ${data.name}.`),
});

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] });
const millrace = await createMillrace({ database: pool, jobs: [greet] });
await millrace.start();
const { id } = await millrace.enqueue(greet, { name: 'Ada' });

const { state, result } = await millrace.finished(id);
console.log(state, result); // SUCCEEDED Good morning, Ada.
await millrace.stop();
await pool.end();
