// node embedded-process.mjs <folder>: adds jobs to the embedded database and leases some of them, until it is killed.
// Says which of them the database has answered for: { added: id[], leased: id[] }.
// It runs what `tsc -b` has built (npm test builds first): Node 20 runs no TypeScript.
import { openPgliteStore } from '../dist/index.js';

const [folder] = process.argv.slice(2);
const store = await openPgliteStore({ source: { folder } });
const job = { kind: 'work', tenant: '', priority: null, payload: '{}', maxAttempts: 3 };
const send = (message) => new Promise((resolve) => process.send(message, resolve));

for (let round = 0; ; round++) {
  const added = await store.enqueue({ jobs: [job, job, job] });
  const { jobs } = await store.claim({
    worker: 'to be killed',
    claim: round,
    wants: [{ kind: 'work', limit: 1 }],
    limit: 1,
    leaseMs: 3_600_000,
  });
  await send({ added: added.map(({ id }) => id), leased: jobs.map(({ id }) => id) });
}
