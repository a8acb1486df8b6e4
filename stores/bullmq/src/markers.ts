import { setTimeout as sleep } from 'node:timers/promises';
import type { Want } from '@millrace/engine';
import type { Cluster, Redis } from 'ioredis';
import { distrust } from './connect.ts';
import { queueOf } from './names.ts';

/**
 * Notices jobs that apps add with BullMQ. Our own scripts publish a hint; BullMQ sets a marker for its workers, who wait for it. One process of
 * ours takes it and publishes the hint for all of them: without it, such a job waited for the next poll, 15 seconds by default.
 */
export interface Markers {
  /** These kinds are worked on here. */
  watch(wants: readonly Pick<Want, 'kind'>[]): void;
  stop(): void;
}

/** How long Redis is asked to wait. A kind that is new here is waited for after that. */
const WAIT_MS = 5_000;
/** An app that adds thousands sets a marker with each: one hint is for all of this time. */
const GATHER_MS = 50;
/** Until it is asked again after an error. Polls find the jobs meanwhile. */
const AGAIN_MS = 1_000;

export function startMarkers(
  /** A connection of its own: a command that waits holds up everything that is sent after it. */
  client: Redis | Cluster,
  { prefix, answerWithinMs }: { readonly prefix: string; readonly answerWithinMs: number },
): Markers {
  const queues = new Set<string>();
  let isLooking = false;
  let isStopped = false;

  async function look(): Promise<void> {
    const keys = [...queues].map((queue) => `${prefix}:${queue}:marker`);
    const seconds = Math.min(WAIT_MS, answerWithinMs / 2) / 1000;
    const found = await client.bzpopmin(...keys, seconds);
    if (found === null) return;
    const queue = found[0].slice(`${prefix}:`.length, -':marker'.length);
    await client.publish(`${prefix}.hints`, `ready ${JSON.stringify([queue])}`);
    await sleep(GATHER_MS, undefined, { ref: false });
  }

  async function keepLooking(): Promise<void> {
    while (!isStopped) {
      try {
        await look();
      } catch (error) {
        distrust(client, error);
        await sleep(AGAIN_MS, undefined, { ref: false });
      }
    }
  }

  return {
    watch(wants) {
      for (const { kind } of wants) queues.add(queueOf(kind));
      if (isLooking || queues.size === 0) return;
      isLooking = true;
      void keepLooking();
    },
    stop() {
      isStopped = true;
    },
  };
}
