import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../server/src/telemetry/metrics/metrics.ts';

// There is no Azure in a test. What can be told without: that the queries ask for what the service sends.

interface Item {
  readonly type: number;
  readonly content: { readonly title?: string; readonly query?: string };
}

const text = readFileSync(join(import.meta.dirname, 'workbook.json'), 'utf8');
const { version, items } = JSON.parse(text) as {
  readonly version: string;
  readonly items: readonly Item[];
};
const queries = items.flatMap(({ type, content: { title = '', query = '' } }) =>
  type === 3 ? [{ title, query }] : [],
);

/** The metrics that a query names; those of traces name none. */
function metricsIn(query: string): string[] {
  const [, one, several = ''] = /name (?:== "(\w+)"|in \(([^)]*)\))/.exec(query) ?? [];
  return one === undefined ? (several.match(/\w+/g) ?? []) : [one];
}

describe('workbook.json', () => {
  it('has what operators look at first', () => {
    expect(version).toBe('Notebook/1.0');
    expect(queries.map(({ title }) => title)).toEqual([
      'Requests per minute',
      'Documents that failed, by reason',
      'How long documents take, p50 and p95 by mode',
      'What they spend it on, in milliseconds on average',
      'Jobs that are due and wait, by kind',
      'Retries and dead letters',
    ]);
  });

  it.each(queries)('$title asks for metrics and attributes that there are', ({ query }) => {
    const metrics = metricsIn(query);
    expect(metrics.length > 0).toBe(query.startsWith('customMetrics'));
    const known: Readonly<Record<string, { readonly attributes: readonly string[] }>> = METRICS;
    expect(metrics.filter((name) => known[name] === undefined)).toEqual([]);
    const attributes = [...query.matchAll(/customDimensions\.(\w+)/g)].map(([, name]) => name);
    const all = metrics.flatMap((name) => known[name]?.attributes ?? []);
    expect(attributes.filter((name = '') => !all.includes(name))).toEqual([]);
  });

  it.each(queries)('$title has brackets that close, and sums what Azure adds up', ({ query }) => {
    for (const [open, close] of ['()', '[]']) {
      const count = (sign = '') => query.split(sign).length;
      expect(count(open)).toBe(count(close));
    }
    // Counters are differences there: their sum, never their value.
    if (metricsIn(query).some((name) => name.endsWith('_total')))
      expect(query).toContain('sum(valueSum)');
  });
});
