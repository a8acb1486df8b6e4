import { resourceFromAttributes } from '@opentelemetry/resources';
import type { Histogram, MetricData } from '@opentelemetry/sdk-metrics';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { start } from '../../../test/telemetry.ts';
import { createBounds } from './bounds.ts';
import { createGauges } from './gauges.ts';
import { METRICS, type MetricName } from './metrics.ts';
import { prometheusLabel, prometheusName } from './prometheus.ts';
import type { Metric } from '@millrace/workload-kit/contract';
import { differences } from './readings.ts';
import { createRecorded, createRecorders } from './recorders.ts';
import type { Telemetry } from '../types.ts';

let telemetry: Telemetry;
beforeEach(async () => {
  telemetry = await start();
});
afterEach(() => telemetry.stop());

/** Whatever the type of the metric is, with a value for each attribute. */
function tell(name: MetricName, value: number): void {
  const { type, attributes }: Metric = METRICS[name];
  const recorders = { counter: 'count', histogram: 'record', gauge: 'setGauge' } as const;
  const recorder = telemetry[recorders[type]] as (...args: unknown[]) => void;
  recorder(name, value, Object.fromEntries(attributes.map((each) => [each, '1'])));
}

describe('what was recorded', () => {
  test.each(Object.keys(METRICS) as MetricName[])('%s is in /metrics', async (name) => {
    tell(name, 7);
    const text = await telemetry.scrape();
    const { type, attributes, description }: Metric = METRICS[name];
    const labels = attributes.map(
      (each) =>
        `${prometheusLabel(each)}="${each === 'kind' ? 'other' : each === 'reason' ? 'other' : '1'}"`,
    );
    const shown = prometheusName(name);
    expect(text).toContain(`# TYPE ${shown} ${type}\n`);
    expect(text).toContain(`# HELP ${shown} ${description}\n`);
    const suffix = type === 'histogram' ? '_sum' : '';
    const series = labels.length === 0 ? '' : `{${labels.join(',')}}`;
    const value = name.endsWith('_ms') ? 0.007 : 7;
    expect(text).toContain(`\n${shown}${suffix}${series} ${value}\n`);
  });

  test('names the process', async () => {
    tell('live_streams', 1);
    expect(await telemetry.scrape()).toContain(
      'target_info{service_name="millrace",service_version="1.2.3",service_instance_id="test-1"} 1',
    );
  });

  test('adds up, scrape after scrape', async () => {
    for (const ms of [3, 40_000, 59_000, 61_000]) {
      telemetry.record('job_duration_ms', ms, { kind: 'x', outcome: 'failed' });
      telemetry.count('lease_takeovers_total', 2);
      await telemetry.scrape();
    }
    const text = await telemetry.scrape();
    expect(text).toContain('lease_takeovers_total 8\n');
    const bucket = (le: string) =>
      `job_duration_seconds_bucket{kind="other",outcome="failed",le="${le}"}`;
    expect(text).toContain(`${bucket('0.002')} 0\n`);
    expect(text).toContain(`${bucket('0.005')} 1\n`);
    expect(text).toContain(`${bucket('30')} 1\n`);
    expect(text).toContain(`${bucket('60')} 3\n`);
    expect(text).toContain(`${bucket('+Inf')} 4\n`);
    expect(text).toContain('job_duration_seconds_count{kind="other",outcome="failed"} 4\n');
  });

  test('a value on the bound of a bucket is in it', async () => {
    telemetry.record('settle_batch_size', 100);
    const text = await telemetry.scrape();
    expect(text).toContain('settle_batch_size_bucket{le="50"} 0\n');
    expect(text).toContain('settle_batch_size_bucket{le="100"} 1\n');
  });

  test('is not spoilt by a number that is none', async () => {
    for (const bad of [Number.NaN, Infinity, -1]) {
      telemetry.count('lease_takeovers_total', bad);
      telemetry.record('settle_batch_size', bad);
    }
    telemetry.setGauge('live_streams', Number.NaN);
    const text = await telemetry.scrape();
    expect(text).toContain('lease_takeovers_total 0\n');
    expect(text).not.toContain('NaN');
    expect(text).not.toContain('live_streams ');
  });

  test('counters without attributes begin with 0, so that they can be seen to grow', async () => {
    const text = await telemetry.scrape();
    expect(text).toContain('\nlease_takeovers_total 0\n');
    expect(text).not.toContain('retries_total{');
  });
});

/** Never called: it is the compiler that checks it, with the other tests. */
function refused(): void {
  // @ts-expect-error one is missing
  telemetry.count('retries_total', 1, { kind: 'x', attempt: '1' });
  // @ts-expect-error one too many
  telemetry.count('job_failures_total', 1, { kind: 'x', reason: 'e', jobId: 'pg-1' });
  // @ts-expect-error it has none
  telemetry.count('lease_takeovers_total', 1, { kind: 'x' });
  // @ts-expect-error it needs some
  telemetry.record('job_duration_ms', 1);
  // @ts-expect-error a histogram is no counter
  telemetry.count('job_duration_ms', 1, { kind: 'x', outcome: 'failed' });
  // @ts-expect-error there is none of that name
  telemetry.setGauge('queue_dept', 1, { kind: 'x' });
}

test('the compiler refuses what the table does not have', () => {
  expect(refused).toBeTypeOf('function');
});

describe('a reader of differences', () => {
  const bounds = createBounds();
  const gauges = createGauges(bounds);
  const recorded = createRecorded(bounds);
  const { count, record, setGauge } = createRecorders(recorded, gauges.set);
  const reader = differences(recorded, gauges, resourceFromAttributes({}));

  async function read(): Promise<ReadonlyMap<string, MetricData>> {
    const { resourceMetrics } = await reader.collect();
    const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    return new Map(metrics.map((metric) => [metric.descriptor.name, metric]));
  }

  test('has what is new, with the least and the most of it, and gauges as they are', async () => {
    count('lease_takeovers_total', 5);
    for (const size of [10, 300]) record('settle_batch_size', size);
    setGauge('live_streams', 4);
    const first = await read();
    expect(first.get('lease_takeovers_total')?.dataPoints[0]?.value).toBe(5);
    const { value } = first.get('settle_batch_size')?.dataPoints[0] ?? {};
    expect(value as Histogram).toMatchObject({ count: 2, sum: 310, min: 10, max: 300 });

    count('lease_takeovers_total', 2);
    record('settle_batch_size', 20);
    const second = await read();
    expect(second.get('lease_takeovers_total')?.dataPoints[0]?.value).toBe(2);
    const next = second.get('settle_batch_size')?.dataPoints[0]?.value as Histogram;
    expect(next).toMatchObject({ count: 1, sum: 20, min: 20, max: 20 });
    expect(next.buckets.counts.reduce((sum, each) => sum + each, 0)).toBe(1);

    const third = await read();
    expect([...third.keys()]).toEqual(['live_streams']);
    expect(third.get('live_streams')?.dataPoints[0]?.value).toBe(4);
  });
});
