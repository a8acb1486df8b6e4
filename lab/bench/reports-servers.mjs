// Small reports, all submitted at once, on one, two and four servers that share a database.

import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '@millrace/api';
import { runReport, settingsOf } from './reports-world.mjs';
import { startServer } from './server.mjs';
import { figure } from './stats.mjs';

export async function servers(world, { servers: counts, small }) {
  const perSecond = new Map();
  for (const count of counts) {
    const started = await startServers(world, count);
    try {
      const rate = await smallReports(world, started, small);
      perSecond.set(count, rate);
      console.log(`${count} servers: ${figure(rate, 1)} small reports a second`);
    } finally {
      await Promise.all(started.map((server) => server.stop()));
    }
  }
  return { four_vs_one: (perSecond.get(4) ?? Number.NaN) / (perSecond.get(1) ?? Number.NaN) };
}

function startServers(world, count) {
  return Promise.all(
    Array.from({ length: count }, (_, n) =>
      startServer(
        settingsOf(world, { MILLRACE_DATA: join(world.folder, `data-${n}`) }),
        world.folder,
      ),
    ),
  );
}

async function smallReports(world, started, small) {
  const client = createClient({ baseUrl: started[0].baseUrl });
  await runReport(client, { name: 'small', most: world.few });
  const begun = performance.now();
  const ids = [];
  for (let n = 0; n < small; n += 1) {
    const body = { parameters: { most: world.few - n }, format: 'csv' };
    ids.push((await client.startReport({ params: { name: 'small' }, body })).id);
  }
  await allOver(client, new Set(ids));
  return (small * 1000) / (performance.now() - begun);
}

/** Each is executed once: a second execution would be a collision. */
async function allOver(client, waited) {
  while (waited.size > 0) {
    await pause(200);
    for (const id of [...waited].slice(0, 20)) {
      const { state, error, attempt } = await client.getReportRun({ params: { id } });
      if (state === 'FAILED' || state === 'CANCELED') throw new Error(JSON.stringify(error));
      if (attempt > 1) throw new Error(`${id} was executed ${attempt} times`);
      if (state === 'SUCCEEDED') waited.delete(id);
    }
  }
}
