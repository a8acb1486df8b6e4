import { type HrTime, ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { Gauges } from './gauges.ts';
import { METRICS, type MetricName } from './metrics.ts';
import { asPrometheus } from './prometheus.ts';
import type { CounterSeries, HistogramSeries, Recorded } from './recorders.ts';

export const SCOPE = { name: 'millrace' };

const { CUMULATIVE, DELTA } = AggregationTemporality;

/** Everything since the start, under its names for Prometheus: any number of readers can have it. */
export function totals(recorded: Recorded, gauges: Gauges, resource: Resource): MetricProducer {
  const began = millisToHrTime(Date.now());
  return producer(
    resource,
    gauges,
    began,
    () => {
      const read: MetricData[] = [];
      for (const [name, family] of recorded.counters) {
        const dataPoints = points([...family.all()], began, ({ value }) => value);
        read.push(sumOf(name, CUMULATIVE, dataPoints));
      }
      for (const [name, family] of recorded.histograms) {
        const dataPoints = points([...family.all()], began, histogramOf);
        read.push(distributionOf(name, CUMULATIVE, dataPoints));
      }
      return read;
    },
    asPrometheus,
  );
}

/** Deltas since the last reading, as Azure Monitor expects. For one reader. */
export function differences(
  recorded: Recorded,
  gauges: Gauges,
  resource: Resource,
): MetricProducer {
  let last = millisToHrTime(Date.now());
  const counted = new WeakMap<CounterSeries, number>();
  const recordedBefore = new WeakMap<HistogramSeries, Histogram>();

  function newlyCounted(series: CounterSeries): number {
    const added = series.value - (counted.get(series) ?? 0);
    counted.set(series, series.value);
    return added;
  }

  function newlyRecorded(series: HistogramSeries): Histogram {
    const now = histogramOf(series);
    const before = recordedBefore.get(series);
    recordedBefore.set(series, now);
    series.least = Infinity;
    series.most = -Infinity;
    return before === undefined ? now : subtract(now, before);
  }

  return producer(resource, gauges, last, () => {
    const from = last;
    last = millisToHrTime(Date.now());
    const read: MetricData[] = [];
    for (const [name, family] of recorded.counters) {
      const dataPoints = points([...family.all()], from, newlyCounted);
      read.push(
        sumOf(
          name,
          DELTA,
          dataPoints.filter(({ value }) => value > 0),
        ),
      );
    }
    for (const [name, family] of recorded.histograms) {
      const dataPoints = points([...family.all()], from, newlyRecorded);
      read.push(
        distributionOf(
          name,
          DELTA,
          dataPoints.filter(({ value }) => value.count > 0),
        ),
      );
    }
    return read;
  });
}

function producer(
  resource: Resource,
  gauges: Gauges,
  began: HrTime,
  read: () => MetricData[],
  shaped: (metric: MetricData) => MetricData = (metric) => metric,
): MetricProducer {
  return {
    async collect() {
      const found: MetricData[] = [...(await gauges.read())].map(([name, series]) => ({
        ...described(name),
        aggregationTemporality: CUMULATIVE,
        dataPointType: DataPointType.GAUGE,
        dataPoints: points(series, began, ({ value }) => value),
      }));
      const metrics = [...found, ...read()]
        .filter(({ dataPoints }) => dataPoints.length > 0)
        .map(shaped);
      const scopeMetrics = [{ scope: SCOPE, metrics }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
}

function sumOf(
  name: MetricName,
  aggregationTemporality: AggregationTemporality,
  dataPoints: DataPoint<number>[],
): MetricData {
  return {
    ...described(name),
    aggregationTemporality,
    dataPointType: DataPointType.SUM,
    isMonotonic: true,
    dataPoints,
  };
}

function distributionOf(
  name: MetricName,
  aggregationTemporality: AggregationTemporality,
  dataPoints: DataPoint<Histogram>[],
): MetricData {
  return {
    ...described(name),
    aggregationTemporality,
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints,
  };
}

function described(name: MetricName) {
  const { description } = METRICS[name];
  return { descriptor: { name, description, unit: '', valueType: ValueType.DOUBLE } };
}

function points<Series extends { readonly attributes: DataPoint<unknown>['attributes'] }, Value>(
  all: readonly Series[],
  startTime: HrTime,
  read: (series: Series) => Value,
): DataPoint<Value>[] {
  const endTime = millisToHrTime(Date.now());
  return all.map((series) => ({
    attributes: series.attributes,
    startTime,
    endTime,
    value: read(series),
  }));
}

/** A copy: it is sent while the next values arrive. */
function histogramOf({ bounds, counts, count, sum, least, most }: HistogramSeries): Histogram {
  return {
    buckets: { boundaries: [...bounds], counts: [...counts] },
    count,
    sum,
    ...(count > 0 && { min: least, max: most }),
  };
}

function subtract(now: Histogram, before: Histogram): Histogram {
  const { boundaries, counts } = now.buckets;
  return {
    ...now,
    buckets: {
      boundaries,
      counts: counts.map((count, bucket) => count - (before.buckets.counts[bucket] ?? 0)),
    },
    count: now.count - before.count,
    sum: (now.sum ?? 0) - (before.sum ?? 0),
  };
}
