import type { KnownWorker } from '@millrace/engine';

/** The slots part of a worker's report. */
export interface ReportedSlots {
  /** The store whose jobs it runs. Older workers do not report it. */
  readonly store?: string | undefined;
  readonly inFlight: number;
  readonly pools: readonly {
    readonly name: string;
    readonly concurrency: number;
    readonly inFlight: number;
    readonly kinds: readonly string[];
  }[];
}

/**
 * How many jobs a worker runs, in all and by pool: those that it holds a lease for, which is what the store counts as running. Its own
 * report is up to ten seconds old, and that of a killed process for ever. Jobs of an org or of Redis have no lease here: of those
 * the report is all there is.
 */
export function slotsOf(
  status: ReportedSlots,
  { running }: Pick<KnownWorker, 'running'>,
  store: string,
): Pick<ReportedSlots, 'inFlight' | 'pools'> {
  if (status.store !== store) return status;
  const pools = status.pools.map((pool) => ({
    ...pool,
    inFlight: pool.kinds.reduce((sum, kind) => sum + (running[kind] ?? 0), 0),
  }));
  return { inFlight: Object.values(running).reduce((sum, count) => sum + count, 0), pools };
}
