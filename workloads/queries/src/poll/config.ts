/** How runs are polled; the names of the seed's POLL_CONFIG, in camel case. */
export interface PollConfig {
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
  readonly backoffMultiplier: number;
  /** 0.4: from 20 % below to 20 % above. */
  readonly jitterRange: number;
  /** So that no fault can poll for ever; `maxDurationMs` is the cap that counts. */
  readonly maxPollCount: number;
  readonly maxDurationMs: number;
  /** A CompletedDate counts as a sign once the query has run for so long. */
  readonly completedDateTriggerMinRuntimeMs: number;
  /** So long without a usable status: then REST is asked whether the query runs. */
  readonly stuckThresholdMs: number;
  readonly notRunningConfirmations: number;
  readonly notRunningConfirmationMinGapMs: number;
  /**
   * For so long REST must say `false` of a query that SOAP calls Queued and completed at once, and that nobody has seen run.
   * Three times the minute for which a query that waits has been seen to look the same: too early, and its rows would be missing.
   */
  readonly queuedNotRunningMs: number;
  readonly rowsetReadyMaxAttempts: number;
  /** So many looks that find a rowset without rows, then there are none: four take 10.5 s, six would take 26.5 s. */
  readonly rowsetEmptyLooks: number;
  readonly rowsetReadyInitialDelayMs: number;
  readonly rowsetReadyMaxDelayMs: number;
  readonly rowProbeMinRuntimeMs: number;
  /** Between the first two probes; doubled with each, since a status that says `Processing` tells as much for less. */
  readonly rowProbeMinIntervalMs: number;
  readonly rowProbePageSize: number;
}

export const POLL_CONFIG: PollConfig = {
  initialDelayMs: 2_000,
  maxDelayMs: 30_000,
  backoffMultiplier: 2,
  jitterRange: 0.4,
  maxPollCount: 120,
  maxDurationMs: 29 * 60_000,
  completedDateTriggerMinRuntimeMs: 5_000,
  stuckThresholdMs: 3 * 60_000,
  notRunningConfirmations: 2,
  notRunningConfirmationMinGapMs: 15_000,
  queuedNotRunningMs: 3 * 60_000,
  rowsetReadyMaxAttempts: 6,
  rowsetEmptyLooks: 4,
  rowsetReadyInitialDelayMs: 1_500,
  rowsetReadyMaxDelayMs: 8_000,
  rowProbeMinRuntimeMs: 5_000,
  rowProbeMinIntervalMs: 15_000,
  rowProbePageSize: 1,
};

/** `random`: 0 up to 1. */
export function nextDelay(config: PollConfig, pollCount: number, random: number): number {
  const { initialDelayMs, maxDelayMs, backoffMultiplier, jitterRange } = config;
  const base = Math.min(initialDelayMs * backoffMultiplier ** pollCount, maxDelayMs);
  return Math.floor(base * (1 - jitterRange / 2 + random * jitterRange));
}

/** `attempts`: those that were made, at least 1. */
export function readinessDelay(config: PollConfig, attempts: number): number {
  const { rowsetReadyInitialDelayMs, rowsetReadyMaxDelayMs } = config;
  return Math.min(rowsetReadyInitialDelayMs * 2 ** (attempts - 1), rowsetReadyMaxDelayMs);
}
