import type { Totals, Worker, WorkerStatus } from '@millrace/engine';

/** The workers of this process, one for each store, as the one that people pause, resume and ask. */
export function allWorkers(first: Worker, others: readonly Worker[]): Worker {
  if (others.length === 0) return first;
  const all = [first, ...others];
  return {
    id: first.id,
    start: () => all.forEach((worker) => worker.start()),
    pause: () => all.map((worker) => worker.pause()).includes(true),
    resume: () => all.map((worker) => worker.resume()).includes(true),
    stop: async () => void (await Promise.all(all.map((worker) => worker.stop()))),
    status: () => together(all.map((worker) => worker.status())),
  };
}

function together(statuses: readonly WorkerStatus[]): WorkerStatus {
  const [first, ...rest] = statuses;
  if (first === undefined) throw new Error('there is no worker');
  return rest.reduce<WorkerStatus>(
    (sum, status) => ({
      ...sum,
      inFlight: sum.inFlight + status.inFlight,
      settling: sum.settling + status.settling,
      lastPoll: latest(sum.lastPoll, status.lastPoll),
      totals: addTotals(sum.totals, status.totals),
      pools: [...sum.pools, ...status.pools],
    }),
    first,
  );
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

function addTotals(a: Readonly<Totals>, b: Readonly<Totals>): Totals {
  const names = Object.keys(a) as (keyof Totals)[];
  return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as unknown as Totals;
}
