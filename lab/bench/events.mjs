// A thousand live streams on one server: what they cost, and how late a change arrives. Beside this process there are the
// server that has the streams, another one that works as well, and the readers, which are this file too.

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '@millrace/api';
import { startPostgres } from '../../scripts/services.mjs';
import { serveRole, startRole } from './role.mjs';
import { startServer } from './server.mjs';
import { figure, percentile } from './stats.mjs';

const CONNECT_AT_ONCE = 50;
const MOST_WARM_UP_SECONDS = 3;
/** A job that has ended, in its event. */
const ENDED = /"job":\{"id":"([^"]+)"[^\n]*?"finishedAt":"([^"]+)"/g;
const NOOP = `import { defineJob, done } from '@millrace/engine';
import { z } from 'zod';
export const noop = defineJob({ kind: 'noop', input: z.unknown(), public: true, run: async () => done() });
`;
/** The server collects its garbage when it is asked to, so that only what is in use counts as memory. */
const COLLECTS = `data:text/javascript,process.on('SIGUSR2', () => globalThis.gc())`;
const FLAGS = ['--expose-gc', '--import', COLLECTS];

export async function main({ streams, rate, seconds }) {
  const postgres = await startPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  const readers = startRole(fileURLToPath(import.meta.url), 'readers');
  const servers = [];
  try {
    for (const name of ['one', 'two'])
      servers.push(await replica(postgres.url, join(folder, name)));
    await readers.ask({});
    const [serving, other] = servers;
    report(await measure({ serving, other, readers, streams, rate, seconds }), { streams, rate });
  } finally {
    await readers.end();
    await Promise.all(servers.map((server) => server.stop()));
    await rm(folder, { recursive: true, force: true });
    await postgres.remove();
  }
}

async function replica(databaseUrl, folder) {
  await mkdir(join(folder, 'jobs'), { recursive: true });
  await writeFile(join(folder, 'jobs/noop.ts'), NOOP);
  const server = await startServer(
    {
      DATABASE_URL: databaseUrl,
      MILLRACE_DATA: folder,
      MILLRACE_DOCUMENTS: 'false',
      // All of this comes from one caller, who would be rate-limited.
      MILLRACE_RATE_LIMIT: '1000000',
      MILLRACE_STREAMS_PER_CALLER: '10000',
    },
    folder,
    FLAGS,
  );
  return { ...server, client: createClient({ baseUrl: server.baseUrl }) };
}

async function measure({ serving, other, readers, streams, rate, seconds }) {
  const work = (duration) =>
    Promise.all([serving, other].map((each) => steadily(each, rate / 2, duration)));
  const open = (count) => readers.ask({ verb: 'open', baseUrl: serving.baseUrl, count });
  // Code compiled and pools filled, so that they do not count as the streams' memory.
  await open(10);
  await work(Math.min(MOST_WARM_UP_SECONDS, seconds));
  await readers.ask({ verb: 'close' });
  const before = await memoryOf(serving);
  await open(streams);
  console.log(`${figure(streams)} streams are open`);
  const idle = await memoryOf(serving);
  const worked = await work(seconds);
  const done = worked.reduce((sum, { jobs }) => sum + jobs, 0);
  const heard = await readers.ask({ verb: 'result', jobs: done });
  const after = await memoryOf(serving);
  const dropped = await droppedBy(serving);
  return { before, idle, after, dropped, done, cores: worked[0].cores, ...heard };
}

/** At a steady rate, which a late timer does not lower. */
async function steadily({ client, pid }, rate, seconds) {
  const [started, cpu, jobs] = [
    performance.now(),
    await cpuSeconds(pid),
    Math.round(rate * seconds),
  ];
  for (let n = 0; n < jobs; n += 1) {
    await sleep(Math.max(0, started + (n * 1000) / rate - performance.now()));
    await client.enqueue({ body: { kind: 'noop', data: { n } } });
  }
  const used = (await cpuSeconds(pid)) - cpu;
  return { jobs, cores: (used * 1_000) / (performance.now() - started) };
}

/** User and system time; the kernel counts it in hundredths of a second. */
async function cpuSeconds(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) / 100;
}

/** In bytes. */
async function memoryOf({ pid }) {
  // What has been closed is let go of in later turns.
  for (let turn = 0; turn < 5; turn += 1) {
    process.kill(pid, 'SIGUSR2');
    await sleep(100);
  }
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)[1]) * 1024;
}

async function droppedBy({ baseUrl }) {
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text();
  return Number(/^live_streams_dropped_total(?:\{[^}]*\})? (\S+)/m.exec(metrics)?.[1] ?? 0);
}

function report({ before, idle, after, dropped, done, cores, delays, least }, { streams, rate }) {
  const perStream = (some) => (some - before) / streams / 1024;
  console.log(
    `\n${figure(done)} jobs, ${rate} a second on two replicas, each sent to ${figure(streams)} streams`,
  );
  console.log(
    `of which every stream has heard of ${figure(least)}; ${dropped} streams were dropped`,
  );
  console.log(
    `memory per stream: ${figure(perStream(idle), 1)} KB idle, ${figure(perStream(after), 1)} KB after; ` +
      `the process has ${figure(after / 2 ** 20)} MB`,
  );
  console.log(`the serving process took ${figure(cores * 100)} % of a core, its worker included`);
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(delays, share).toFixed(1));
  const kb = Math.max(perStream(idle), perStream(after)).toFixed(1);
  console.log(
    `\nresult: events_streams=${streams} events_kb_per_stream=${kb} events_delay_p50_ms=${p50} ` +
      `events_delay_p99_ms=${p99} events_dropped=${dropped}`,
  );
}

/**
 * Each has a connection of its own, and measures when it first hears that a job has ended. `finishedAt` is the
 * beginning of the transaction, so what is measured is a little more than the time since the commit.
 */
async function readersRole() {
  let readers = [];
  const ends = new Map();

  const endOf = (moment) => {
    const known = ends.get(moment);
    if (known !== undefined) return known;
    const ms = Date.parse(moment);
    ends.set(moment, ms);
    return ms;
  };

  function connect(baseUrl) {
    const reader = { delays: [], ended: new Set(), close: () => {} };
    return new Promise((resolve, reject) => {
      const request = get(`${baseUrl}/events?topics=job`, { agent: false }, (response) => {
        if (response.statusCode !== 200)
          return reject(new Error(`answered ${response.statusCode}`));
        let rest = '';
        response.setEncoding('latin1').on('data', (chunk) => {
          const now = performance.timeOrigin + performance.now();
          const text = rest + chunk;
          const end = text.lastIndexOf('\n\n') + 2;
          rest = text.slice(end);
          for (const [, id, moment] of text.slice(0, end).matchAll(ENDED)) {
            if (!reader.ended.has(id)) reader.delays.push(now - endOf(moment));
            reader.ended.add(id);
          }
          if (text.includes('{"type":"live"}')) resolve(reader);
        });
        response.on('error', () => {});
        reader.close = () => response.destroy();
      });
      request.on('error', reject);
    });
  }

  const verbs = {
    async open({ baseUrl, count }) {
      readers = [];
      while (readers.length < count) {
        const some = Math.min(CONNECT_AT_ONCE, count - readers.length);
        readers.push(...(await Promise.all(Array.from({ length: some }, () => connect(baseUrl)))));
      }
      return {};
    },
    async close() {
      for (const reader of readers) reader.close();
      return {};
    },
    /** Once everyone has heard of every job, or nothing more comes. */
    async result({ jobs }) {
      const least = () => Math.min(...readers.map(({ delays }) => delays.length));
      for (let before = -1; least() < jobs && least() > before; await sleep(2_000))
        before = least();
      return { delays: readers.flatMap(({ delays }) => delays), least: least() };
    },
  };
  return ({ verb, ...params }) => verbs[verb](params);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serveRole(readersRole);
