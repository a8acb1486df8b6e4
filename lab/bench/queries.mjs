// Shell queries: 10,000 of 1 to 20 minutes in flight at once with 50 slots, on each store; and beside them the loop that
// holds a slot for each query. Time is shortened: everything that the seed measures in seconds, by the same factor.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres, startRedis } from '../../scripts/services.mjs';
import { startRole } from './role.mjs';
import { figure, percentile, ratio, table } from './stats.mjs';

/** So many times shorter than ours the loop's time is. */
const LOOP_FASTER = 3;

const WORK = fileURLToPath(new URL('queries-work.mjs', import.meta.url));

export async function main({ runs, slots, scale, latency, stores }) {
  const latencyMs = latency / scale;
  const started = [
    await startPostgres(),
    await startRedis({ settings: { appendonly: 'yes', appendfsync: 'everysec' } }),
  ];
  const [databaseUrl, redisUrl] = started.map(({ url }) => url);
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  const params = { urls: { databaseUrl, redisUrl, folder }, runs, slots, scale, latencyMs };
  console.log(
    `${figure(runs)} queries of 1 to 20 minutes, ${slots} slots, Marketing Cloud ${latency} ms away; ` +
      `all times ${scale} times shorter, and shown as they would be`,
  );
  try {
    // Fifty slots that mostly sleep disturb nobody, and can do so in less time.
    const loopScale = scale * LOOP_FASTER;
    const loop = work({
      ...params,
      role: 'loop',
      store: 'postgres',
      scale: loopScale,
      latencyMs: latency / loopScale,
    });
    const figures = [];
    for (const store of stores.split(','))
      figures.push({ store, ...(await work({ ...params, role: 'ours', store })) });
    report(figures, { ...(await loop), scale: loopScale }, { runs, slots, scale });
  } finally {
    await Promise.all(started.map((server) => server.remove()));
    await rm(folder, { recursive: true, force: true });
  }
}

async function work(params) {
  const child = startRole(WORK, params.role);
  try {
    await child.ask(params);
    return await child.ask({});
  } finally {
    await child.end();
  }
}

function report(figures, old, { runs, slots, scale }) {
  const perHour = (ended, seconds, times) => ((ended / seconds) * 3_600) / times;
  const oldPerHour = perHour(old.ended, old.seconds, old.scale);
  const rows = figures.map((of) => [
    of.store,
    figure(of.busy, 1),
    figure(percentile(of.waits, 0.5), 1),
    figure(percentile(of.waits, 0.99), 1),
    figure((percentile(of.lags, 0.5) * scale) / 1_000, 1),
    figure((percentile(of.lags, 0.99) * scale) / 1_000, 1),
    figure(of.calls / runs, 2),
    figure(of.uncoalesced / runs, 2),
    figure(perHour(runs, of.seconds, scale)),
  ]);
  const header = [
    'store',
    'slots busy',
    'due to start, ms p50',
    'p99',
    'rows to ready, s p50',
    'p99',
    'calls a run',
    'alone',
    'runs an hour',
  ];
  console.log(`\n${table(header, rows)}`);
  console.log(
    `\nThe loop that holds its slot: ${figure(oldPerHour)} runs an hour (${old.ended} ended).`,
  );
  const worst = (of) => Math.max(...figures.map(of));
  console.log(
    `\nresult: queries in_flight=${runs} slots=${slots} ` +
      `slot_wait_p99_ms=${worst(({ waits }) => percentile(waits, 0.99)).toFixed(1)} ` +
      `ready_lag_p99_vs_bound=${ratio(worst(({ lags, bound }) => percentile(lags, 0.99) / bound))} ` +
      `calls_vs_uncoalesced=${ratio(worst(({ calls, uncoalesced }) => calls / uncoalesced))} ` +
      `throughput_vs_old_loop=${ratio(-worst(({ seconds }) => -perHour(runs, seconds, scale) / oldPerHour))}`,
  );
}
