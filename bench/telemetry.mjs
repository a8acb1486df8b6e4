// The queue's throughput with telemetry off and on. Each measurement has a process and a database of its own;
// the traces go to a collector in a third process. This file is all three: `roles` says which.

import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  createEvents,
  createQueue,
  createRegistry,
  createWorker,
  defineJob,
} from '@millrace/engine';
import { openPostgresStore } from '@millrace/store-postgres';
import pg from 'pg';
import { z } from 'zod';
import { startPostgres } from '../scripts/services.mjs';
import { systemClock } from '../server/dist/clock.js';
import { traceStore } from '../server/dist/telemetry/store.js';
import { startTelemetry } from '../server/dist/telemetry/telemetry.js';
import { confirm, counter, inBatches, payload } from './contenders/common.mjs';
import { figure, median, ratio, spread, table } from './stats.mjs';

/** Until the compiler has seen it all. */
const WARM_UP = 40_000;
const CONNECTIONS = 10;
const SCRAPE_EVERY_MS = 1_000;
const LOG = { warn: (...said) => console.error(...said) };

/** Off and on take turns, and so does who begins. */
export async function main(args) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '7' },
      jobs: { type: 'string', default: '60000' },
    },
  });
  const [rounds, jobs] = [values.rounds, values.jobs].map(Number);
  const postgres = await startPostgres();
  const collecting = start('collector', {});
  try {
    const { endpoint } = await collecting.answer;
    report(await measureRounds({ url: postgres.url, endpoint, rounds, jobs }), jobs);
  } finally {
    collecting.end();
    await postgres.remove();
  }
}

async function measureRounds({ url, endpoint, rounds, jobs }) {
  const results = [];
  for (let round = 0; round < rounds; round += 1) {
    const figures = {};
    for (const mode of round % 2 === 0 ? ['off', 'on'] : ['on', 'off']) {
      figures[mode] = await inDatabase(url, (own) => {
        const on = mode === 'on' ? endpoint : null;
        return start('queue', { url: own, endpoint: on, jobs }).answer;
      });
      console.log(`round ${round + 1} of ${rounds}: ${mode}: ${line(figures[mode])}`);
    }
    results.push(figures);
  }
  return results;
}

async function inDatabase(url, work) {
  const admin = new pg.Client(url);
  await admin.connect();
  try {
    await admin.query('create database measured');
    return await work(Object.assign(new URL(url), { pathname: '/measured' }).href);
  } finally {
    await admin.query('drop database if exists measured with (force)');
    await admin.end();
  }
}

const line = ({ jobs, cpu }) => `${figure(jobs)} jobs/s, ${figure(cpu, 1)} µs of processor per job`;

function report(rounds, jobs) {
  const rows = ['off', 'on'].map((mode) => {
    const column = (name) => median(rounds.map((round) => round[mode][name]));
    return [`telemetry ${mode}`, figure(column('jobs')), figure(column('cpu'), 1)];
  });
  console.log(`\nMedians of ${rounds.length} rounds of ${figure(jobs)} jobs\n`);
  console.log(table(['', 'jobs/s', 'µs of processor per job'], rows));
  const spans = median(rounds.map((round) => round.on.spans));
  console.log(`\n${figure(spans)} spans arrived at the collector in a round.`);

  const throughput = rounds.map(({ off, on }) => on.jobs / off.jobs);
  const processor = rounds.map(({ off, on }) => off.cpu / on.cpu);
  console.log('\nOn to off in the same round: median (lowest–highest)\n');
  console.log(`throughput: ${spread(throughput)}`);
  console.log(`processor: ${spread(processor)}`);
  console.log(`\nresult: telemetry_on_vs_off=${ratio(median(throughput))}`);
}

/** One run of no-op jobs, with everything that a server has of telemetry, or with nothing. */
async function queue({ url, endpoint, jobs }) {
  const telemetry = await startTelemetry(
    {
      enabled: endpoint !== null,
      azureConnectionString: null,
      otlpEndpoint: endpoint,
      tracesPerSecond: 50,
      serviceInstance: `bench-${process.pid}`,
      version: '0.0.0',
    },
    LOG,
  );
  const opened = await openPostgresStore({ url, poolSize: CONNECTIONS });
  const store = endpoint === null ? opened : traceStore(opened, telemetry);
  const events = createEvents();
  const input = z.object({ n: z.number(), text: z.string() });
  const registry = createRegistry([defineJob({ kind: 'noop', input, run: async () => {} })]);
  const parts = { store, registry, events };
  telemetry.watch(events);
  telemetry.observe({ store: opened, registry, worker: { status: () => worker.status() } });
  let worker = makeWorker(parts, telemetry);
  const made = createQueue(parts);

  const enqueue = (count) => {
    const requests = Array.from({ length: count }, (_, n) => ({ kind: 'noop', data: payload(n) }));
    return inBatches(requests, { size: 1000, inFlight: 4 }, (some) => made.enqueueAll(some));
  };
  await enqueue(WARM_UP);
  await run(events, worker, WARM_UP);

  await enqueue(jobs);
  await settleDown(url);
  const before = await spansAt(endpoint);
  worker = makeWorker(parts, telemetry);
  const scraping = setInterval(() => void telemetry.scrape(), SCRAPE_EVERY_MS);
  const figures = await run(events, worker, jobs);
  clearInterval(scraping);
  const counts = (await made.counts()).filter(({ state }) => state === 'SUCCEEDED');
  confirm(
    'Millrace',
    counts.reduce((sum, { count }) => sum + count, 0),
    jobs + WARM_UP,
  );
  await telemetry.stop();
  await opened.close();
  return { ...figures, spans: (await spansAt(endpoint)) - before };
}

function makeWorker({ store, registry, events }, { tracing }) {
  return createWorker({
    config: {
      id: `bench-${process.pid}`,
      pools: [{ name: 'bench', concurrency: 4000, batch: 2000 }],
      shutdownGrace: '1s',
    },
    store,
    registry,
    clock: systemClock,
    random: Math.random,
    events,
    ...(tracing && { tracing }),
  });
}

/** Listeners hear of a success when the store has answered that it is settled. */
async function run(events, worker, count) {
  const settled = counter();
  const unlisten = events.on('job.succeeded', settled.count);
  const used = process.cpuUsage();
  const started = performance.now();
  worker.start();
  await settled.reached(count);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(used);
  await worker.stop();
  unlisten();
  return { jobs: settled.calls() / seconds, cpu: (user + system) / settled.calls() };
}

/** As bench/measure.mjs: what autovacuum does within a minute, and pages that were just written. */
async function settleDown(url) {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('analyze');
  await client.query('checkpoint');
  await client.end();
}

async function spansAt(endpoint) {
  if (endpoint === null) return 0;
  const answer = await fetch(endpoint);
  return Number(await answer.text());
}

/** Takes OTLP in JSON, and counts. */
async function collector() {
  let spans = 0;
  const take = async (request, response) => {
    const chunks = await request.toArray();
    if (request.method === 'GET') return response.end(String(spans));
    spans += countSpans(JSON.parse(Buffer.concat(chunks).toString()));
    return response.end('{}');
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { endpoint: `http://127.0.0.1:${server.address().port}` };
}

const countSpans = ({ resourceSpans }) =>
  resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)).length;

const roles = { queue, collector };

/** A role in a process of its own, its answer, and its end. */
function start(role, params) {
  const child = fork(fileURLToPath(import.meta.url), [], { stdio: ['ignore', 2, 2, 'ipc'] });
  const answer = new Promise((resolve, reject) => {
    child.once('message', (message) =>
      message.error ? reject(new Error(message.error)) : resolve(message.answer),
    );
    child.once('exit', (code) => reject(new Error(`the process of ${role} ended with ${code}`)));
    child.send({ role, params });
  });
  return { answer, end: () => child.kill() };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once('message', ({ role, params }) => {
    const tell = (message) =>
      process.send(message, () => {
        // The collector stays until it is ended.
        if (role !== 'collector') process.exit();
      });
    roles[role](params).then(
      (answer) => tell({ answer }),
      (error) => tell({ error: error.stack ?? String(error) }),
    );
  });
}
