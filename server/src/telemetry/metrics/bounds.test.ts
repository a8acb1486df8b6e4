import { describe, expect, test } from 'vitest';
import { MOST_REASONS, MOST_SERIES, createBounds, createFamily } from './bounds.ts';
import type { Attributes } from './bounds.ts';

function family(name: Parameters<typeof createFamily>[0], bounds = createBounds()) {
  const made = createFamily(name, bounds, (attributes: Attributes) => ({ attributes }));
  return {
    bounds,
    told: (given: Attributes) => made.find(given).attributes,
    size: () => [...made.all()].length,
    find: made.find,
  };
}

describe('the series of a metric', () => {
  test('are the same object for the same attributes', () => {
    const { find } = family('docgen_duration_ms');
    const given = { templateId: 'a', outputFormat: 'PDF', mode: 'batch' };
    expect(find({ ...given })).toBe(find({ ...given }));
    expect(find({ ...given, mode: 'interactive' })).not.toBe(find(given));
  });

  test('take the attributes in any order', () => {
    const { find } = family('http_request_duration_ms');
    expect(find({ status: '200', route: '/jobs', method: 'GET' })).toBe(
      find({ method: 'GET', route: '/jobs', status: '200' }),
    );
  });

  test('are a thousand at most, over any number of readings', () => {
    const { told, size } = family('template_cache_hit');
    for (let n = 0; n < MOST_SERIES * 5; n += 1) told({ templateId: `t${n}` });
    expect(size()).toBe(MOST_SERIES);
    expect(told({ templateId: 'one-more' })).toEqual({ templateId: 'other' });
    // Those that were first stay what they are.
    expect(told({ templateId: 't0' })).toEqual({ templateId: 't0' });
  });

  test('without attributes are one', () => {
    const { find, size } = family('settle_batch_size');
    expect(find({})).toBe(find({}));
    expect(size()).toBe(1);
  });
});

describe('a kind', () => {
  test('is reported when it is known', () => {
    const { told, bounds } = family('jobs_enqueued_total');
    bounds.know(['hello']);
    expect(told({ kind: 'hello' })).toEqual({ kind: 'hello' });
    expect(told({ kind: 'stranger' })).toEqual({ kind: 'other' });
  });

  test('may become known later', () => {
    const { told, bounds } = family('jobs_enqueued_total');
    expect(told({ kind: 'hello' })).toEqual({ kind: 'other' });
    bounds.know(['hello']);
    expect(told({ kind: 'hello' })).toEqual({ kind: 'hello' });
  });
});

describe('a reason', () => {
  const reasonOf = (made: ReturnType<typeof family>, reason: string): string | undefined =>
    made.told({ kind: 'x', reason })['reason'];

  test.each(['timeout', 'UPLOAD_FAILED', 'ECONNREFUSED', 'http.503'])('%s is a code', (code) => {
    expect(reasonOf(family('job_failures_total'), code)).toBe(code);
  });

  test.each(['', 'no such file', 'user 4711 not found', '42', 'a'.repeat(61), 'x\n'])(
    '%j is none',
    (text) => expect(reasonOf(family('job_failures_total'), text)).toBe('other'),
  );

  test('is one of fifty at most, over all metrics', () => {
    const failures = family('job_failures_total');
    const retries = family('retries_total', failures.bounds);
    for (let n = 0; n < MOST_REASONS; n += 1) expect(reasonOf(failures, `e${n}`)).toBe(`e${n}`);
    expect(reasonOf(failures, 'one_more')).toBe('other');
    expect(retries.told({ kind: 'x', attempt: '1', reason: 'one_more' })['reason']).toBe('other');
    expect(retries.told({ kind: 'x', attempt: '1', reason: 'e7' })['reason']).toBe('e7');
  });
});

test('attempts beyond the ninth are together', () => {
  const { told } = family('retries_total');
  const attempt = (n: number) => told({ kind: 'x', reason: 'e', attempt: String(n) })['attempt'];
  expect([1, 9, 10, 11, 5_000].map(attempt)).toEqual(['1', '9', '10+', '10+', '10+']);
});

test('a long value is cut', () => {
  const { told } = family('template_cache_hit');
  expect(told({ templateId: 'x'.repeat(5_000) })['templateId']).toHaveLength(200);
});
