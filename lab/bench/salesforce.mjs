// Documents whose queue is in a Salesforce org: what they cost in API calls and how fast they are, with the org 80 ms
// away; then five replicas on a bad day, one of them killed, and whether anything was lost.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { APP } from './org.mjs';
import { startRole } from './role.mjs';
import { startServer } from './server.mjs';
import { figure, table } from './stats.mjs';

const ORG = fileURLToPath(new URL('org.mjs', import.meta.url));
/** The seeds' own estimate: find, lock, template, upload, links, status. */
const SEEDS_CALLS = 7;

export async function main({ documents, faulty: faultyDocuments, latency: latencyMs, replicas }) {
  const clear = await run({ documents, latencyMs, replicas: 1 });
  report(`${figure(clear.documents)} one-page PDFs, one replica, ${latencyMs} ms away`, clear);
  const faulty = await run({
    documents: faultyDocuments,
    latencyMs: 10,
    replicas,
    faults: true,
  });
  report(
    `${figure(faulty.documents)}, ${replicas} replicas, faults on, one replica killed`,
    faulty,
  );
  console.log(
    `\nresult: salesforce calls_per_document=${(clear.calls / clear.documents).toFixed(3)} ` +
      `documents_per_s=${clear.perSecond.toFixed(2)} lost=${clear.lost + faulty.lost} ` +
      `doubled=${clear.doubled + faulty.doubled} orphans=${clear.orphans + faulty.orphans}`,
  );
}

async function run({ documents, latencyMs, replicas, faults = false }) {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  const org = startRole(ORG, 'org');
  const servers = [];
  try {
    await org.ask({ documents, latencyMs, faults });
    const { loginUrl } = await org.ask({ verb: 'where' });
    const settings = {
      SALESFORCE_LOGIN_URL: loginUrl,
      SALESFORCE_CLIENT_ID: APP.clientId,
      SALESFORCE_CLIENT_SECRET: APP.secret,
      POLLER_INTERVAL_MS: '1000',
      // So that what the killed one leaves is taken over while we watch.
      ...(faults && { POLLER_LOCK_TTL_MS: '10000', CONVERSION_MAX_CONCURRENT: '1' }),
    };
    const started = performance.now();
    for (let n = 0; n < replicas; n += 1)
      servers.push(await startServer({ ...settings, MILLRACE_DATA: join(folder, `${n}`) }, folder));
    if (replicas > 1) {
      await until(org, ({ SUCCEEDED: done = 0 }) => done > documents / 5);
      await servers.shift().stop('SIGKILL');
    }
    await until(org, ({ QUEUED = 0, PROCESSING = 0 }) => QUEUED + PROCESSING === 0);
    const seconds = (performance.now() - started) / 1000;
    const { calls, ...rest } = await org.ask({ verb: 'account' });
    return {
      ...rest,
      documents,
      seconds,
      calls: calls.total,
      byResource: calls.byResource,
      perSecond: documents / seconds,
    };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await org.end();
    await rm(folder, { recursive: true, force: true });
  }
}

async function until(org, holds) {
  for (;;) {
    const { states } = await org.ask({ verb: 'progress' });
    if (holds(states)) return;
    await sleep(200);
  }
}

function report(title, { documents, seconds, calls, byResource, states, ...rest }) {
  console.log(`\n${title}: ${figure(seconds, 1)} s, the start of the processes included\n`);
  const rows = Object.entries(byResource).map(([name, count]) => [
    name,
    figure(count),
    (count / documents).toFixed(3),
  ]);
  console.log(
    table(
      ['API calls', 'count', 'per document'],
      [
        ...rows,
        ['all', figure(calls), (calls / documents).toFixed(3)],
        ["the seeds' way", figure(SEEDS_CALLS * documents), SEEDS_CALLS.toFixed(3)],
      ],
    ),
  );
  const ends = Object.entries(states).map(([state, count]) => `${count} ${state}`);
  console.log(
    `\n${ends.join(', ')}; lost ${rest.lost}, doubled ${rest.doubled}, orphans ${rest.orphans}`,
  );
}
