// A thousand live streams on one process: what they cost, and how late a change arrives. Three child processes: the
// replica that has the streams, another replica that works as well, and the readers.

import { fork } from 'node:child_process';
import { createServer, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '../scripts/services.mjs';
import { figure, percentile } from './stats.mjs';

const CONNECT_AT_ONCE = 50;
const WARM_UP_SECONDS = 3;
/** A job that has ended, in its event. */
const ENDED = /"job":\{"id":"([^"]+)"[^\n]*?"finishedAt":"([^"]+)"/g;

export async function main(args) {
  const { values } = parseArgs({
    args,
    options: {
      streams: { type: 'string', default: '1000' },
      rate: { type: 'string', default: '20' },
      seconds: { type: 'string', default: '30' },
    },
  });
  const [streams, rate, seconds] = [values.streams, values.rate, values.seconds].map(Number);
  const postgres = await startPostgres();
  const children = [];
  const start = (role) => {
    const child = startChild(role);
    children.push(child);
    return child;
  };
  try {
    const serving = start('replica');
    const { port } = await serving.ask('open', { databaseUrl: postgres.url, name: 'one' });
    const other = start('replica');
    await other.ask('open', { databaseUrl: postgres.url, name: 'two' });
    const readers = start('readers');
    report(await measure({ serving, other, readers, port, streams, rate, seconds }), {
      streams,
      rate,
    });
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    await postgres.remove();
  }
}

async function measure({ serving, other, readers, port, streams, rate, seconds }) {
  const work = (duration) =>
    Promise.all(
      [serving, other].map((each) => each.ask('work', { rate: rate / 2, seconds: duration })),
    );
  // Code compiled and pools filled, so that they do not count as the streams' memory.
  await readers.ask('open', { port, count: 10 });
  await work(WARM_UP_SECONDS);
  await readers.ask('close', {});
  const before = await serving.ask('memory', {});
  await readers.ask('open', { port, count: streams });
  console.log(`${figure(streams)} streams are open`);
  const idle = await serving.ask('memory', {});
  const worked = await work(seconds);
  const done = worked.reduce((sum, { jobs }) => sum + jobs, 0);
  const heard = await readers.ask('result', { jobs: done });
  const after = await serving.ask('memory', {});
  return { before, idle, after, done, cores: worked[0].cores, ...heard };
}

function report({ before, idle, after, done, cores, delays, least }, { streams, rate }) {
  const perStream = (some, name) => (some[name] - before[name]) / streams / 1024;
  console.log(
    `\n${figure(done)} jobs, ${rate} a second on two replicas, each sent to ${figure(streams)} streams`,
  );
  console.log(
    `of which every stream has heard of ${figure(least)}; ${after.dropped} streams were dropped`,
  );
  console.log(
    `memory per stream: ${figure(perStream(idle, 'rss'), 1)} KB idle, ${figure(perStream(after, 'rss'), 1)} KB after ` +
      `(of the heap ${figure(perStream(after, 'heapUsed'), 1)} KB); the process has ${figure(after.rss / 2 ** 20)} MB`,
  );
  console.log(`the serving process took ${figure(cores * 100)} % of a core, its worker included`);
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(delays, share).toFixed(1));
  const kb = Math.max(perStream(idle, 'rss'), perStream(after, 'rss')).toFixed(1);
  console.log(
    `\nresult: events_streams=${streams} events_kb_per_stream=${kb} events_delay_p50_ms=${p50} ` +
      `events_delay_p99_ms=${p99} events_dropped=${after.dropped}`,
  );
}

/** A process of this file. `ask` calls a function of its role and gives the answer. */
function startChild(role) {
  const child = fork(fileURLToPath(import.meta.url), [role], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return {
    ask: (verb, params) =>
      new Promise((resolve, reject) => {
        const failed = (code) => reject(new Error(`the process "${role}" ended with ${code}`));
        child.once('exit', failed);
        child.once('message', ({ answer, error }) => {
          child.off('exit', failed);
          if (error) reject(new Error(error));
          else resolve(answer);
        });
        child.send({ verb, params });
      }),
    stop: () => {
      child.kill('SIGKILL');
      return exited;
    },
  };
}

/** A process as the server is one: a store, a worker, a hub, and a socket for the streams. */
async function replicaRole() {
  const { createEvents, createQueue, createRegistry, createWorker, defineJob } =
    await import('@millrace/engine');
  const { openPostgresStore } = await import('@millrace/store-postgres');
  const { createHub } = await import('../server/dist/live/hub.js');
  const { systemClock } = await import('../engine/dist/system.js');
  const { z } = await import('zod');
  const events = createEvents();
  const registry = createRegistry([
    defineJob({ kind: 'noop', input: z.object({ n: z.number() }), run: async () => {} }),
  ]);
  const log = { info() {}, warn: (_, text) => console.error(text), error: console.error };
  let [hub, queue] = [null, null];

  return {
    async open({ databaseUrl, name }) {
      const store = await openPostgresStore({ url: databaseUrl, poolSize: 10 });
      hub = createHub({
        store,
        events,
        processId: `${name}-${process.pid}`,
        log,
        streamsPerCaller: Infinity,
      });
      queue = createQueue({ store, registry, events });
      createWorker({
        config: { id: name },
        store,
        registry,
        clock: systemClock,
        random: Math.random,
        events,
      }).start();
      const server = createServer((request, response) =>
        hub
          .open({
            response,
            caller: 'bench',
            filter: {},
            lastEventId: request.headers['last-event-id'] ?? null,
            expiresAt: null,
            correlationId: 'bench',
          })
          .catch((error) => response.writeHead(503).end(String(error))),
      );
      await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
      return { port: server.address().port };
    },

    /** At a steady rate, which a late timer does not lower. */
    async work({ rate, seconds }) {
      const [started, cpu, jobs] = [
        performance.now(),
        process.cpuUsage(),
        Math.round(rate * seconds),
      ];
      for (let n = 0; n < jobs; n += 1) {
        await sleep(Math.max(0, started + (n * 1000) / rate - performance.now()));
        await queue.enqueue({ kind: 'noop', data: { n } });
      }
      const { user, system } = process.cpuUsage(cpu);
      return { jobs, cores: (user + system) / 1_000 / (performance.now() - started) };
    },

    async memory() {
      // What has been closed is let go of in later turns.
      for (let turn = 0; turn < 5; turn += 1) {
        await sleep(100);
        globalThis.gc();
      }
      const { rss, heapUsed } = process.memoryUsage();
      return { rss, heapUsed, dropped: hub.dropped() };
    },
  };
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

  function connect(port) {
    const reader = { delays: [], ended: new Set(), close: () => {} };
    return new Promise((resolve, reject) => {
      const request = get({ port, host: '127.0.0.1', agent: false }, (response) => {
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

  return {
    async open({ port, count }) {
      readers = [];
      while (readers.length < count) {
        const some = Math.min(CONNECT_AT_ONCE, count - readers.length);
        readers.push(...(await Promise.all(Array.from({ length: some }, () => connect(port)))));
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
}

const roles = { replica: replicaRole, readers: readersRole };

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const verbs = roles[process.argv[2]]();
  const answer = async ({ verb, params }) => {
    try {
      process.send({ answer: await (await verbs)[verb](params) });
    } catch (error) {
      process.send({ error: error.stack ?? String(error) });
    }
  };
  process.on('message', (message) => void answer(message));
}
