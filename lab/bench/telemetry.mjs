// The queue's throughput with telemetry off and on. Two processes with a database each stay warm and take
// turns, about a second at a time, so that whatever else the machine does meets both; the traces of the one
// with telemetry go to a third process. This file is all of them: `roles` says which.

import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import {
  createEvents,
  createQueue,
  createRegistry,
  createWorker,
  defineJob,
} from '@millrace/engine';
import { systemClock } from '@millrace/engine/system';
import { startTelemetry, traceStore } from '@millrace/server/telemetry';
import { openPostgresStore } from '@millrace/store-postgres';
import { z } from 'zod';
import { startPostgres } from '../../scripts/services.mjs';
import { confirm, counter, execute, inBatches, payload } from './contenders/common.mjs';
import { figure, median, percentile, ratio, table } from './stats.mjs';

/** Until the compiler has seen it all. */
const WARM_UP_ROUNDS = 3;
const CONNECTIONS = 10;
const SCRAPE_EVERY_MS = 1_000;
const LOG = { warn: (...said) => console.error(...said) };

export async function main({ rounds, jobs }) {
  const postgres = await startPostgres();
  const children = [];
  const begin = async (role, params) => {
    const child = start(role);
    children.push(child);
    return { ...child, told: await child.ask(params) };
  };
  try {
    const traces = await begin('collector', {});
    const { endpoint } = traces.told;
    const off = await begin('queue', {
      url: await database(postgres.url, 'telemetry_off'),
      endpoint: null,
    });
    const on = await begin('queue', {
      url: await database(postgres.url, 'telemetry_on'),
      endpoint,
    });
    for (let n = 0; n < WARM_UP_ROUNDS; n += 1) await round({ off, on }, n, jobs);
    const measured = [];
    for (let n = 0; n < rounds; n += 1) {
      measured.push(await round({ off, on }, n, jobs));
      console.log(`round ${n + 1} of ${rounds}: ${line(measured[n])}`);
    }
    report(measured, jobs, (await traces.ask({})).spans);
  } finally {
    for (const child of children) child.end();
    await postgres.remove();
  }
}

async function database(url, name) {
  await execute(url, `create database ${name}`);
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/** Each begins every other round. */
async function round(sides, n, jobs) {
  const figures = {};
  for (const side of n % 2 === 0 ? ['off', 'on'] : ['on', 'off'])
    figures[side] = await sides[side].ask({ jobs });
  return figures;
}

const line = ({ off, on }) =>
  `off ${figure(off.jobs)} jobs/s, on ${figure(on.jobs)} jobs/s: ${ratio(on.jobs / off.jobs)}`;

function report(rounds, jobs, spans) {
  const rows = ['off', 'on'].map((side) => {
    const column = (name) => median(rounds.map((each) => each[side][name]));
    return [`telemetry ${side}`, figure(column('jobs')), figure(column('cpu'), 1)];
  });
  console.log(`\nMedians of ${rounds.length} rounds of ${figure(jobs)} jobs\n`);
  console.log(table(['', 'jobs/s', 'µs of processor per job'], rows));
  console.log(`\n${figure(spans)} spans have arrived.`);

  console.log('\nOn to off in the same round: median (middle half)\n');
  const throughput = rounds.map(({ off, on }) => on.jobs / off.jobs);
  console.log(`throughput: ${middle(throughput)}`);
  console.log(`processor: ${middle(rounds.map(({ off, on }) => off.cpu / on.cpu))}`);
  console.log(`\nresult: telemetry_on_vs_off=${ratio(median(throughput))}`);
}

const middle = (values) =>
  `${ratio(median(values))} (${ratio(percentile(values, 0.25))}–${ratio(percentile(values, 0.75))})`;

/** No-op jobs, with everything that a server has of telemetry, or with nothing. */
async function queue({ url, endpoint }) {
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
  const worker = createWorker({
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
    ...(telemetry.tracing && { tracing: telemetry.tracing }),
  });
  const jobs = createQueue({ store, registry, events });
  telemetry.watch(events);
  telemetry.observe({ store: opened, worker, registry });
  setInterval(() => void telemetry.scrape(), SCRAPE_EVERY_MS);
  return {
    told: {},
    answer: ({ jobs: count }) => run({ url, jobs, events, worker }, count),
  };
}

/** Listeners hear of a success when the store has answered that it is settled. */
async function run({ url, jobs, events, worker }, count) {
  const before = await succeeded(jobs);
  const requests = Array.from({ length: count }, (_, n) => ({ kind: 'noop', data: payload(n) }));
  await inBatches(requests, { size: 1000, inFlight: 4 }, (some) => jobs.enqueueAll(some));
  // As in lab/bench/measure.mjs: what autovacuum does within a minute, and pages that were just written.
  await execute(url, 'analyze');
  await execute(url, 'checkpoint');

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
  confirm('Millrace', (await succeeded(jobs)) - before, count);
  return { jobs: count / seconds, cpu: (user + system) / count };
}

async function succeeded(jobs) {
  const counts = (await jobs.counts()).filter(({ state }) => state === 'SUCCEEDED');
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/** Takes OTLP in JSON, and counts. */
async function collector() {
  let spans = 0;
  const take = async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    for (const { scopeSpans } of JSON.parse(body).resourceSpans)
      for (const scope of scopeSpans) spans += scope.spans.length;
    response.end('{}');
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${server.address().port}`;
  return { told: { endpoint }, answer: async () => ({ spans }) };
}

const roles = { queue, collector };

/** A role in a process of its own, which is asked one thing after another. */
function start(role) {
  const file = fileURLToPath(import.meta.url);
  const child = fork(file, [role], { stdio: ['ignore', 2, 2, 'ipc'] });
  const ask = (params) =>
    new Promise((resolve, reject) => {
      const ended = (code) => reject(new Error(`the process of ${role} ended with ${code}`));
      child.once('exit', ended);
      child.once('message', ({ answer, error }) => {
        child.off('exit', ended);
        if (error === undefined) resolve(answer);
        else reject(new Error(error));
      });
      child.send(params);
    });
  return { ask, end: () => child.kill() };
}

/** The first question starts the role. */
function serve(role) {
  let answer = async (params) => {
    const started = await role(params);
    ({ answer } = started);
    return started.told;
  };
  process.on('message', (params) => {
    answer(params).then(
      (told) => process.send({ answer: told }),
      (error) => process.send({ error: error.stack ?? String(error) }),
    );
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve(roles[process.argv[2]]);
