import { createMillrace, defineJob, done } from 'millrace';
import pg from 'pg';
import { z } from 'zod';

const greet = defineJob({
  kind: 'greet',
  input: z.object({ name: z.string() }),
  async run({ data }) {
    return done(`Good morning, ${data.name}.`);
  },
});

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] });
const millrace = await createMillrace({ database: pool, jobs: [greet] });
await millrace.start();

const client = await pool.connect();
await client.query('BEGIN');
const { id } = await millrace.enqueue(greet, { name: 'Ada' }, { transaction: client });
await client.query('COMMIT');
client.release();

const job = await millrace.finished(id);
console.log(job.state, job.result);
await millrace.stop();
await pool.end();
