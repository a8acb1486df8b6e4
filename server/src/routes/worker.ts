import { isoOrNull } from '@millrace/workload-kit';
import type { Totals, Worker } from '@millrace/engine';
import { type RouteParts, type Handlers, ok } from '../http/handler.ts';
import { countsJson } from './json/counts.ts';
import { replicas } from '../live/boards/replicas.ts';
import { Refusal } from '../http/refusal.ts';

type Names = 'workerStatus' | 'workerStats' | 'stopWorker' | 'startWorker';

export function workerHandlers({ store, worker, replica }: RouteParts): Handlers<Names> {
  async function statusJson(correlationId: string) {
    const status = worker?.status();
    return {
      hasWorker: worker !== null,
      isRunning: status?.state === 'running',
      ...(await queueJson(store)),
      lastPollTime: isoOrNull(status?.lastPoll ?? null),
      correlationId,
    };
  }

  return {
    async workerStatus({ correlationId }) {
      return ok(await statusJson(correlationId));
    },
    async workerStats({ correlationId }) {
      const status = worker?.status();
      return ok({
        ...(await statusJson(correlationId)),
        ...totalsJson(status?.totals),
        uptimeSeconds: seconds(status?.uptimeMs ?? performance.now()),
        inFlight: status?.inFlight ?? 0,
        pools: (status?.pools ?? []).map((pool) => ({
          ...pool,
          kinds: [...pool.kinds],
          heldUntil: isoOrNull(pool.heldUntil),
        })),
        replicas: await replicas(store),
      });
    },
    async stopWorker({ correlationId }) {
      if (required(worker).pause()) return ok({ isRunning: false, correlationId });
      throw new Refusal('conflict', 'Nothing to change: this replica is already stopped.');
    },
    async startWorker({ correlationId }) {
      if (required(worker).resume()) {
        // Whoever paused it from afar has been overruled.
        await store.control.steer({ worker: replica, to: 'running', by: null });
        return ok({ isRunning: true, correlationId });
      }
      const { state } = required(worker).status();
      const why = state === 'running' ? 'is already running' : `is ${state} and cannot be started`;
      throw new Refusal('conflict', `Nothing to change: this replica ${why}.`);
    },
  };
}

function required(worker: Worker | null): Worker {
  if (worker !== null) return worker;
  throw new Refusal('conflict', 'This replica has no worker: it runs with MILLRACE_ROLE=api.');
}

/** Scheduled jobs are not backlog. */
async function queueJson(store: RouteParts['store']) {
  const { states, scheduled } = countsJson(await store.counts(), {});
  return { currentQueueDepth: states.QUEUED - scheduled, currentScheduled: scheduled };
}

function totalsJson(totals?: Pick<Totals, 'processed' | 'succeeded' | 'failed' | 'retries'>) {
  return {
    totalProcessed: totals?.processed ?? 0,
    totalSucceeded: totals?.succeeded ?? 0,
    totalFailed: totals?.failed ?? 0,
    totalRetries: totals?.retries ?? 0,
  };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
