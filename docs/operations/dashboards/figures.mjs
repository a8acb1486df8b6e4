// The key figures as PromQL, and their limits as colours. alerts.yml has the same limits; a test compares them.

/** Of the kinds and installations chosen. */
export const JOBS = 'job=~"$job", kind=~"$kind"';
/** Of the replicas chosen. */
export const REPLICA = 'job=~"$job", instance=~"$instance"';
export const ALL = 'job=~"$job"';

/** What every replica tells of the whole store: never summed over them. @param {string} metric */
export const ofStore = (metric) => `max by (job, kind) (${metric}{${JOBS}})`;

/** @param {string} metric @param {string} by @param {string} [where] @param {string} [range] */
export function rate(metric, by, where = JOBS, range = '$__rate_interval') {
  const sum = by === '' ? 'sum' : `sum by (${by})`;
  return `${sum} (rate(${metric}{${where}}[${range}]))`;
}

/**
 * How often it happened in the range. A series that was born in it counts from 0: `increase` leaves its first value out.
 *
 * @param {string} metric @param {string} by @param {string} where @param {string} [range]
 */
export function counted(metric, by, where, range = '$__rate_interval') {
  const series = `${metric}{${where}}`;
  const sum = by === '' ? 'sum' : `sum by (${by})`;
  return `${sum} ((${series} unless ${series} offset ${range}) or increase(${series}[${range}]))`;
}

/** A series that is not there yet counts as 0, where the other one is. @param {string} one @param {string} other */
const orZero = (one, other) => `(${one} or 0 * ${other})`;

/** Of the jobs that ended, how many succeeded. @param {string} by @param {string} [range] */
export function successRate(by, range) {
  const failed = rate('job_failures_total', by, JOBS, range);
  const succeeded = rate('job_duration_seconds_count', by, `${JOBS}, outcome="succeeded"`, range);
  const good = orZero(succeeded, failed);
  return `${good} / (${good} + ${orZero(failed, succeeded)})`;
}

/** Of the executions, how many will be tried again. @param {string} by @param {string} [range] */
export function retryRate(by, range) {
  const executions = rate('job_duration_seconds_count', by, JOBS, range);
  return `${orZero(rate('retries_total', by, JOBS, range), executions)} / ${executions}`;
}

/** @param {string} [range] */
export function templateHitRate(range) {
  const hits = rate('template_cache_hit_total', '', ALL, range);
  const misses = rate('template_cache_miss_total', '', ALL, range);
  const found = orZero(hits, misses);
  return `${found} / (${found} + ${orZero(misses, hits)})`;
}

/**
 * @param {number} share such as 0.95
 * @param {string} metric @param {string} by @param {string} [where] @param {string} [range]
 */
export function quantile(share, metric, by, where = JOBS, range = '$__rate_interval') {
  const grouping = by === '' ? 'le' : `le, ${by}`;
  return `histogram_quantile(${share}, ${rate(`${metric}_bucket`, grouping, where, range)})`;
}

/**
 * Good, then worse from each limit on.
 *
 * @param {[target: number, warning: number, critical: number]} limits
 * @returns {import('./grafana.mjs').Step[]}
 */
const rising = ([target, warning, critical]) => [
  { color: 'green', value: null },
  { color: 'yellow', value: target },
  { color: 'orange', value: warning },
  { color: 'red', value: critical },
];

/**
 * Bad, then better from each limit on.
 *
 * @param {[critical: number, warning: number, target: number]} limits
 * @returns {import('./grafana.mjs').Step[]}
 */
const falling = ([critical, warning, target]) => [
  { color: 'red', value: null },
  { color: 'orange', value: critical },
  { color: 'yellow', value: warning },
  { color: 'green', value: target },
];

export const LIMITS = {
  success: falling([0.95, 0.97, 0.995]),
  documentSeconds: rising([10, 15, 30]),
  queueDepth: rising([50, 100, 500]),
  retries: rising([0.05, 0.1, 0.25]),
  templateHits: falling([0.7, 0.8, 0.95]),
  apiUsage: [
    { color: 'green', value: null },
    { color: 'orange', value: 0.7 },
    { color: 'red', value: 0.9 },
  ],
  eventLoopSeconds: [
    { color: 'green', value: null },
    { color: 'orange', value: 0.2 },
  ],
  any: [
    { color: 'green', value: null },
    { color: 'orange', value: 1 },
  ],
  atLeastOne: [
    { color: 'red', value: null },
    { color: 'green', value: 1 },
  ],
  utilisation: [
    { color: 'green', value: null },
    { color: 'orange', value: 0.9 },
  ],
};
