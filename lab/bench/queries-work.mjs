// One process of `queries`: runs on one store, polled by jobs that defer themselves (`ours`), or by the loop that a job holds
// its slot with (`loop`), as the seed of the workload had it.

import { setTimeout as sleep } from 'node:timers/promises';
import {
  createEvents,
  createQueue,
  createRegistry,
  createWorker,
  defineJob,
} from '@millrace/engine';
import { POLL, POLL_CONFIG, nextDelay, openQueries, queryKinds } from '@millrace/queries';
import { openBullStore } from '@millrace/store-bullmq';
import { openPgliteStore, openPostgresStore } from '@millrace/store-postgres';
import { z } from 'zod';
import { createCloud } from './cloud.mjs';
import { clock } from './contenders/millrace.mjs';
import { serveRole } from './role.mjs';

const MINUTE = 60_000;
const LOOP = 'loop-shell-query';
const SQL = 'SELECT SubscriberKey, EventDate FROM _Open';
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Uneven, the same in each run: between 1 and 20 minutes. */
const minutesOf = (n) => 1 + (((n * 7919) % 10_007) / 10_007) * 19;

/**
 * Every time of the seed's, so many times shorter. Its two caps are out of reach: the wait until all runs are in flight, which is
 * real time, would use them up.
 */
const shortened = (scale) => ({
  ...Object.fromEntries(
    Object.entries(POLL_CONFIG).map(([name, value]) => [
      name,
      name.endsWith('Ms') ? value / scale : value,
    ]),
  ),
  maxDurationMs: 24 * 60 * MINUTE,
  maxPollCount: 1_000_000,
});

serveRole(async (params) => {
  const { role, store: where, urls, runs, slots, scale, latencyMs } = params;
  const cloud = createCloud({ latencyMs, runMs: (n) => (minutesOf(n) * MINUTE) / scale });
  const database =
    where === 'embedded'
      ? await openPgliteStore({ source: { folder: urls.folder } })
      : await openPostgresStore({ url: urls.databaseUrl });
  const store = where === 'redis' ? await openBullStore({ url: urls.redisUrl }) : database;
  const events = createEvents();
  const work = role === 'loop' ? loop : ours;
  return () => work({ cloud, database, store, events, runs, slots, scale });
});

async function ours({ cloud, database, store, events, runs, slots, scale }) {
  // Slower until all runs are in flight: polls would only be in the way of those that are being started.
  const poll = shortened(scale / 3);
  const seen = { waits: [], busyMs: 0, polls: 0, perCall: [] };
  const due = new Map();
  const kinds = queryKinds(slots).map((kind) => ({ ...kind, run: watched(kind, seen, due) }));
  const registry = createRegistry(kinds);
  const queue = createQueue({ store, registry, events });
  const lags = [];
  let ended = 0;
  const { promise: finished, resolve: allEnded, reject: broken } = deferred();
  const queries = await openQueries({
    store: database,
    queue,
    account: { mids: [{ tenant: '', mid: '100001' }], open: (onCall) => cloud.open(onCall) },
    live: { announce() {}, listen: () => () => {} },
    clock,
    log: silent,
    metrics: metrics({
      polled: () => (seen.polls += 1),
      statusCall: (tasks) => seen.perCall.push(tasks),
      ended(run) {
        if (run.state !== 'SUCCEEDED')
          broken(new Error(`${run.id} is ${run.state}: ${run.error?.message}`));
        lags.push(Date.now() - cloud.endOf(run.taskId));
        ended += 1;
        if (ended === runs) allEnded();
      },
    }),
    config: { poll, keepResultsMs: 24 * 60 * MINUTE, startLookMs: MINUTE, startLookEveryMs: 1_000 },
    gatherMs: 20,
    keepRunsMs: 24 * 60 * MINUTE,
  });
  const worker = startWorker({
    store,
    registry,
    events,
    slots,
    services: services(kinds, queries),
  });
  await submit(queries, runs);
  while (cloud.started() < runs) await Promise.race([sleep(50), finished]);
  // All of them are in flight, and polled at the pace that is measured once the longest wait of the slower one is over: now they run.
  const longestMs = boundOf(poll);
  Object.assign(poll, shortened(scale));
  await Promise.race([sleep(longestMs), finished]);
  cloud.release();
  cloud.forgetCalls();
  Object.assign(seen, { waits: [], busyMs: 0, polls: 0, perCall: [] });
  const from = Date.now();
  await finished;
  const seconds = (Date.now() - from) / 1_000;
  await worker.stop();
  const { taskStatuses = 0, rows = 0, isRunning = 0 } = cloud.calls();
  return {
    seconds,
    lags,
    waits: seen.waits,
    busy: seen.busyMs / 1_000 / seconds,
    polls: seen.polls,
    perCall: seen.perCall,
    calls: taskStatuses + rows + isRunning,
    // What each poll would have asked alone.
    uncoalesced: seen.polls + rows + isRunning,
    bound: boundOf(poll),
  };
}

/** The longest wait of the backoff. */
const boundOf = (poll) => poll.maxDelayMs * (1 + poll.jitterRange / 2);

/** The handler, with how long the job waited after it was due, and how long it had its slot. */
function watched({ kind, run }, seen, due) {
  return async (job, context, service) => {
    const from = Date.now();
    const dueAt = due.get(job.id);
    if (kind === POLL && dueAt !== undefined) seen.waits.push(Math.max(0, from - dueAt));
    try {
      const outcome = await run(job, context, service);
      if (outcome.type === 'defer') due.set(job.id, Date.now() + outcome.afterMs);
      else due.delete(job.id);
      return outcome;
    } finally {
      seen.busyMs += Date.now() - from;
    }
  };
}

/** The same backoff inside one job, which keeps its slot from the start of the query to its rows. */
async function loop({ cloud, store, events, runs, slots, scale }) {
  const poll = shortened(scale);
  const unit = cloud.open(() => {}).businessUnit();
  let ended = 0;
  const kind = defineJob({
    kind: LOOP,
    input: z.object({ n: z.number() }),
    timeout: '30m',
    async run({ data: { n } }) {
      await unit.validate();
      await unit.createDataExtension({});
      const { objectId } = await unit.createQuery({ customerKey: `loop-${n}` });
      const { taskId } = await unit.startQuery(objectId);
      for (let count = 0; ; count += 1) {
        await sleep(nextDelay(poll, count, Math.random()));
        const [status] = await unit.taskStatuses([taskId]);
        if (status.status === 'Complete') break;
      }
      await unit.rows(taskId);
      await unit.deleteQuery(objectId);
      ended += 1;
    },
  });
  const registry = createRegistry([kind]);
  const queue = createQueue({ store, registry, events });
  const all = Array.from({ length: runs }, (_, n) => ({ kind: LOOP, data: { n } }));
  for (let at = 0; at < all.length; at += 1_000) await queue.enqueueAll(all.slice(at, at + 1_000));
  cloud.release();
  const worker = startWorker({ store, registry, events, slots });
  const from = Date.now();
  // Twice the longest query: slots have come free and been taken again.
  await sleep((2 * 20 * MINUTE) / scale);
  const answer = { ended, seconds: (Date.now() - from) / 1_000 };
  void worker.stop();
  return answer;
}

function startWorker({ store, registry, events, slots, services: given }) {
  const worker = createWorker({
    config: {
      id: `bench-${process.pid}`,
      pools: [
        {
          name: 'queries',
          concurrency: slots,
          batch: slots,
          interval: { active: '1s', idle: '5s' },
        },
      ],
      shutdownGrace: '1s',
    },
    store,
    registry,
    clock,
    random: Math.random,
    events,
    ...(given && { services: given }),
  });
  worker.start();
  return worker;
}

function deferred() {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
}

const services = (kinds, service) => new Map(kinds.map(({ kind }) => [kind, service]));

async function submit(queries, runs) {
  for (let n = 0; n < runs; n += 20) {
    const some = Array.from({ length: Math.min(20, runs - n) }, () =>
      queries.runs.submit({ sqlText: SQL, tenant: '', submitter: 'bench' }),
    );
    await Promise.all(some);
  }
}

/** What is not listened to is nothing. */
const metrics = (wanted) => new Proxy(wanted, { get: (all, name) => all[name] ?? (() => {}) });
