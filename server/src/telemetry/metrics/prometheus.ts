import type { Attributes } from '@opentelemetry/api';
import { DataPointType, type Histogram, type MetricData } from '@opentelemetry/sdk-metrics';
import { METRICS, type MetricName } from './metrics.ts';

/** Names, labels and units as Prometheus has them: `promtool check metrics` has nothing to say. */

/** Counters end in `_total`, and times are seconds. */
export function prometheusName(name: MetricName): string {
  if (METRICS[name].type === 'counter') return name.endsWith('_total') ? name : `${name}_total`;
  return isInMs(name) ? name.replace(/_ms$/, '_seconds') : name;
}

export function prometheusLabel(attribute: string): string {
  return attribute.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A metric of the table as Prometheus names it. */
export function asPrometheus(metric: MetricData): MetricData {
  const name = metric.descriptor.name as MetricName;
  const descriptor = { ...metric.descriptor, name: prometheusName(name) };
  const scale = isInMs(name) ? 1_000 : 1;
  if (metric.dataPointType === DataPointType.HISTOGRAM)
    return {
      ...metric,
      descriptor,
      dataPoints: metric.dataPoints.map((point) => ({
        ...point,
        attributes: labelsOf(point.attributes),
        value: scaled(point.value, scale),
      })),
    };
  if (metric.dataPointType === DataPointType.EXPONENTIAL_HISTOGRAM) return metric;
  return {
    ...metric,
    descriptor,
    dataPoints: metric.dataPoints.map((point) => ({
      ...point,
      attributes: labelsOf(point.attributes),
      value: point.value / scale,
    })),
  };
}

function isInMs(name: MetricName): boolean {
  return name.endsWith('_ms');
}

function labelsOf(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [prometheusLabel(name), value]),
  );
}

function scaled(histogram: Histogram, scale: number): Histogram {
  const { buckets, sum = 0 } = histogram;
  const boundaries = buckets.boundaries.map((bound) => bound / scale);
  // The least and the most of it are for others.
  return { count: histogram.count, buckets: { ...buckets, boundaries }, sum: sum / scale };
}
