// CSV beside psql \copy, at two sizes; and what checkpoints cost.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@millrace/api';
import { ORDER, SELECT, runReport, settingsOf, timed, warmUpOf } from './reports-world.mjs';
import { startServer } from './server.mjs';
import { figure, median, spread } from './stats.mjs';

/** psql and the server take turns, so that what else the machine does meets both. */
export async function csv(world, { rounds }) {
  const { most, few } = world;
  const { client, pid } = world.server;
  const ratios = [];
  const sizes = { [few]: [], [most]: [] };
  await runReport(client, { most: few });
  for (let round = 0; round < rounds; round += 1) {
    for (const rows of [few, most]) {
      const psql = await timed(() => psqlCopy(world, rows));
      const memory = watchMemory(pid);
      const ours = await runReport(client, { most: rows });
      const rss = await memory.stop();
      sizes[rows].push({ seconds: ours.seconds, rss });
      if (rows === most) ratios.push(psql / ours.seconds);
      console.log(
        `${figure(rows)} rows: psql ${figure(psql, 1)} s, report ${figure(ours.seconds, 1)} s, ${figure(rss)} MB`,
      );
    }
  }
  console.log(`CSV of ${figure(most)} rows, psql's time to ours: ${spread(ratios)}`);
  const of = (rows, what) => median(sizes[rows].map((each) => each[what]));
  return {
    csv_vs_copy: median(ratios),
    rss_5m_vs_1m: of(most, 'rss') / of(few, 'rss'),
    time_5m_vs_1m: of(most, 'seconds') / of(few, 'seconds') / (most / few),
  };
}

function psqlCopy({ url, folder }, rows) {
  const out = join(folder, 'psql.csv');
  const copy = `\\copy (${SELECT}${rows} ${ORDER}) TO '${out}' WITH (FORMAT csv, HEADER)`;
  return command('psql', [url, '-qc', copy]);
}

async function command(name, args) {
  const child = spawn(name, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
}

function watchMemory(pid) {
  const samples = [];
  const read = async () => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(status) ?? [];
    if (kilobytes !== undefined) samples.push(Number(kilobytes) / 1024);
  };
  const timer = setInterval(() => void read(), 500);
  return {
    async stop() {
      clearInterval(timer);
      await read();
      return median(samples);
    },
  };
}

/** The same report in chunks of 1.5 MB and of 100,000 rows, the most that a chunk has, in turns: what the syncs and saves between them take. */
export async function checkpoint(world, { rounds }) {
  const sizes = ['1500000', '100000000'];
  const seconds = new Map(sizes.map((size) => [size, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const size of sizes) {
      const settings = settingsOf(world, { REPORTS_CHUNK_BYTES: size });
      const server = await startServer(settings, world.folder);
      try {
        const client = createClient({ baseUrl: server.baseUrl });
        await runReport(client, { most: warmUpOf(world) });
        seconds.get(size).push((await runReport(client, { most: world.few })).seconds);
      } finally {
        await server.stop();
      }
    }
  }
  const [often, seldom] = sizes.map((size) => median(seconds.get(size)));
  console.log(
    `${figure(world.few)} rows: ${figure(often, 2)} s in chunks of 1.5 MB, ${figure(seldom, 2)} s in chunks of 100,000 rows`,
  );
  return { checkpoint_cost: often / seldom - 1 };
}
