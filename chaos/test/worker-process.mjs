// A worker in a process of its own, to be killed or blocked. Its effects are rows, written outside of the queue.
// It runs what `tsc -b` has built (npm test builds first): Node 20 runs no TypeScript.
import { createEvents, createRegistry, createWorker, defineJob, done } from '@millrace/engine';
import { systemClock } from '@millrace/server';
import { openPostgresStore } from '@millrace/store-postgres';
import pg from 'pg';
import { z } from 'zod';

const [url, id] = process.argv.slice(2);
const effects = new pg.Pool({ connectionString: url, max: 2 });
const work = defineJob({
  kind: 'work',
  input: z.object({ n: z.number(), blockMs: z.number() }),
  retry: { backoff: 'linear', retries: 20, step: 10 },
  async run({ data }, { lease }) {
    await effects.query('INSERT INTO started (n, epoch, worker) VALUES ($1, $2, $3)', [
      data.n,
      lease.epoch,
      id,
    ]);
    if (data.blockMs > 0 && id.startsWith('blocking')) block(data.blockMs);
    else await new Promise((resolve) => setTimeout(resolve, 30));
    return done({ by: id, epoch: lease.epoch });
  },
});

/** The event loop stands still: no timer fires, no heartbeat goes out. */
function block(ms) {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const store = await openPostgresStore({ url });
const events = createEvents();
events.on('lease.fenced', ({ id: job, write }) => process.send?.({ fenced: job, write }));
createWorker({
  config: {
    id,
    lease: '1s',
    pools: [{ name: 'all', concurrency: 10, batch: 10, interval: { active: 100, idle: 200 } }],
  },
  store,
  registry: createRegistry([work]),
  clock: systemClock,
  random: Math.random,
  events,
}).start();
process.send?.({ ready: true });
