import { type Attributes, type Bounds, type Family, createFamily } from './bounds.ts';
import type { SetGauge } from './gauges.ts';
import {
  type CounterName,
  type Given,
  type HistogramName,
  METRICS,
  type MetricName,
} from './metrics.ts';

/**
 * Counters and histograms. Not those of the SDK, which makes a string of the attributes at each call, sorted and in
 * JSON: 0.95 µs, where this takes 0.05 µs, and with the garbage a job cost 4 µs more of 16. It would also keep every
 * reading of one exporter for another that never reads, and its limit on series counts between two readings only.
 *
 * None of these throws: what is measured must not suffer from it.
 */
export interface Recorders {
  count<Name extends CounterName>(name: Name, value: number, ...attributes: Given<Name>): void;
  record<Name extends HistogramName>(name: Name, value: number, ...attributes: Given<Name>): void;
  readonly setGauge: SetGauge;
}

export interface CounterSeries {
  readonly attributes: Attributes;
  value: number;
}

export interface HistogramSeries {
  readonly attributes: Attributes;
  readonly bounds: readonly number[];
  /** How many fell into each bucket; the last is for those beyond every bound. */
  readonly counts: number[];
  count: number;
  sum: number;
  /** Since a reader of differences was here last. */
  least: number;
  most: number;
}

export interface Recorded {
  readonly counters: ReadonlyMap<CounterName, Family<CounterSeries>>;
  readonly histograms: ReadonlyMap<HistogramName, Family<HistogramSeries>>;
}

export function createRecorded(bounds: Bounds): Recorded {
  const counters = new Map<CounterName, Family<CounterSeries>>();
  const histograms = new Map<HistogramName, Family<HistogramSeries>>();
  for (const name of Object.keys(METRICS) as MetricName[]) {
    const { type, attributes: names } = METRICS[name];
    if (type === 'counter') {
      const family = createFamily(name, bounds, (attributes) => ({ attributes, value: 0 }));
      counters.set(name as CounterName, family);
      // A counter without attributes starts at 0 now: Prometheus computes no rate from a series whose first value is
      // its first increase.
      if (names.length === 0) family.find({});
    }
    if (type === 'histogram') {
      const make = emptyHistogram(METRICS[name as HistogramName].buckets);
      histograms.set(name as HistogramName, createFamily(name, bounds, make));
    }
  }
  return { counters, histograms };
}

export function createRecorders({ counters, histograms }: Recorded, setGauge: SetGauge): Recorders {
  return {
    setGauge,
    count(name, value, ...[attributes]) {
      const series = counters.get(name)?.find(attributes ?? NONE);
      // One bad number would spoil the sum for good.
      if (series !== undefined && value >= 0 && value < Infinity) series.value += value;
    },
    record(name, value, ...[attributes]) {
      const series = histograms.get(name)?.find(attributes ?? NONE);
      if (series !== undefined && value >= 0 && value < Infinity) add(series, value);
    },
  };
}

const NONE: Attributes = {};

function add(series: HistogramSeries, value: number): void {
  const { bounds, counts } = series;
  let bucket = 0;
  while (bucket < bounds.length && value > (bounds[bucket] ?? Infinity)) bucket += 1;
  counts[bucket] = (counts[bucket] ?? 0) + 1;
  series.count += 1;
  series.sum += value;
  if (value < series.least) series.least = value;
  if (value > series.most) series.most = value;
}

function emptyHistogram(bounds: readonly number[]): (attributes: Attributes) => HistogramSeries {
  return (attributes) => ({
    attributes,
    bounds,
    counts: Array.from({ length: bounds.length + 1 }, () => 0),
    count: 0,
    sum: 0,
    least: Infinity,
    most: -Infinity,
  });
}
