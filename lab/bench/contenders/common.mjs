import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export const payload = (n) => ({ n, text: 'hello world' });

/** Counts. `reached(n)` resolves once `count` has been called n times. */
export function counter() {
  let calls = 0;
  let target = Number.POSITIVE_INFINITY;
  let wake;
  return {
    count: () => {
      calls += 1;
      if (calls >= target) wake();
    },
    reached: (n) =>
      new Promise((resolve) => {
        target = n;
        wake = resolve;
        if (calls >= n) resolve();
      }),
    calls: () => calls,
  };
}

/** One statement on a connection of its own. */
export async function execute(url, sql) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Handler entries are not completions: ask the store every 2 ms until it agrees. */
export async function until(check) {
  while (!(await check())) await sleep(2);
}

/** After the clock has stopped: what the store itself says about the run. */
export function confirm(name, found, expected) {
  if (found !== expected) throw new Error(`${name}: ${found} jobs are complete, not ${expected}`);
}

/** Sends `items` in batches, `inFlight` of them at a time. */
export async function inBatches(items, { size, inFlight }, send) {
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const from = next;
      next += size;
      await send(items.slice(from, from + size));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}

const UNMEASURED = 10;

/**
 * Single jobs into an idle worker: milliseconds from just before the enqueue call to the handler's
 * entry. `start(handler)` starts the worker and returns a function that stops it. The pauses, 5–15 ms,
 * are the same for everyone, and uneven so that nobody's timer falls into step with the producer.
 */
export async function pickups(count, { start, enqueue }) {
  const arrivals = new Map();
  const handler = async ({ n }) => arrivals.get(n)?.(performance.now());
  const stop = await start(handler);
  await sleep(200);
  const latencies = [];
  for (let n = 0; n < count + UNMEASURED; n += 1) {
    const arrival = new Promise((resolve) => arrivals.set(n, resolve));
    const sent = performance.now();
    const [arrived] = await Promise.all([arrival, enqueue(payload(n))]);
    latencies.push(arrived - sent);
    arrivals.delete(n);
    await sleep(5 + ((n * 7919) % 1000) / 100);
  }
  await stop();
  return latencies.slice(UNMEASURED);
}
