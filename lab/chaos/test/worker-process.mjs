// A worker in a process of its own, to be killed, stopped, cut off or blocked.
// It runs what `tsc -b` has built (npm test builds first): Node 20 runs no TypeScript.
import { createEvents, createRegistry, createWorker, dependantsOf } from '@millrace/engine';
import { systemClock } from '@millrace/engine/system';
import { openPostgresStore } from '@millrace/store-postgres';
import { createKinds, rules } from './kinds.mjs';

const [url, id] = process.argv.slice(2);
const TRACE = {
  name: 'trace',
  text: 'INSERT INTO executions (job, kind, n, epoch, worker) VALUES ($1, $2, $3, $4, $5)',
};
const registry = createRegistry(
  createKinds({
    id,
    trace: (kind, n, lease) => store.database.query(TRACE, [lease.id, kind, n, lease.epoch, id]),
  }),
);
const store = await openPostgresStore({
  url,
  dependants: dependantsOf(registry, rules),
  answerWithinMs: 2_000,
});
const events = createEvents();
events.on('lease.fenced', ({ id: job, write }) => process.send?.({ fenced: job, write }));
events.on('lease.takenOver', ({ count }) => process.send?.({ takenOver: count }));
const worker = createWorker({
  config: {
    id,
    lease: '1s',
    shutdownGrace: '1s',
    pools: [{ name: 'all', concurrency: 40, batch: 40, interval: { active: 100, idle: 200 } }],
  },
  store,
  registry,
  clock: systemClock,
  random: Math.random,
  events,
});
worker.start();
process.once('message', () => void leave());
process.send?.({ ready: true });

/** The process ends by itself when nothing is left that could happen. */
async function leave() {
  await worker.stop();
  await store.close();
  process.disconnect();
}
