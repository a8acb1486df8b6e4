import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { METRICS, type MetricName } from './metrics.ts';
import { prometheusName } from './prometheus.ts';
import type { Metric } from '@millrace/workload-kit/contract';

const names = Object.keys(METRICS) as MetricName[];

test('docs/metrics.md has every metric as it is, and no other', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../docs/metrics.md'), 'utf8');
  const table = text.split('\n\n').find((block) => block.startsWith('| metric |')) ?? '';
  const rows = table.trim().split('\n').slice(2);
  expect(rows).toEqual(names.map(rowOf));
});

function rowOf(name: MetricName): string {
  const { type, attributes, description }: Metric = METRICS[name];
  const told = attributes.map((each) => `\`${each}\``).join(', ');
  const cells = [`\`${name}\``, `\`${prometheusName(name)}\``, type, told, description];
  return `| ${cells.join(' | ')} |`;
}

test('histograms reach as far as what they measure: four hours, two, half an hour, a minute, a thousand, a hundred', () => {
  const histograms = names
    .map((name): Metric => METRICS[name])
    .filter(({ type }) => type === 'histogram');
  expect(histograms.length).toBeGreaterThan(0);
  for (const { buckets = [] } of histograms) {
    expect([14_400_000, 7_200_000, 1_800_000, 60_000, 1_000, 100]).toContain(buckets.at(-1));
    expect(buckets).toEqual(buckets.toSorted((a, b) => a - b));
  }
});

test('attributes are never ids', () => {
  const told = new Set<string>(
    names.flatMap((name): readonly string[] => METRICS[name].attributes),
  );
  for (const id of [
    'id',
    'job',
    'jobId',
    'documentId',
    'correlationId',
    'tenant',
    'host',
    'url',
    'worker',
  ])
    expect(told).not.toContain(id);
});
