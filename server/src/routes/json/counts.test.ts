import { contracts } from '@millrace/api';
import type { Count } from '@millrace/engine';
import { expect, test } from 'vitest';
import { countsJson } from './counts.ts';

const all: Count[] = [
  { kind: 'report', tenant: 'b', state: 'SUCCEEDED', count: 8, scheduled: 0 },
  { kind: 'report', tenant: 'b', state: 'QUEUED', count: 4, scheduled: 1 },
  { kind: 'report.monthly', tenant: '', state: 'FAILED', count: 2, scheduled: 0 },
  { kind: 'report', tenant: '', state: 'PROCESSING', count: 1, scheduled: 0 },
  { kind: 'report', tenant: '', state: 'QUEUED', count: 3, scheduled: 2 },
];

test('counts come by kind, tenant and state, with their sums', () => {
  const told = countsJson(all, {});
  expect(told).toEqual({
    states: { QUEUED: 7, PROCESSING: 1, SUCCEEDED: 8, FAILED: 2, CANCELED: 0 },
    scheduled: 3,
    counts: [all[4], all[3], all[1], all[0], all[2]],
    next: null,
  });
  expect(contracts.counts.response.parse(told)).toEqual(told);
});

test('a filter is for the sums too', () => {
  expect(countsJson(all, { kind: 'report', tenant: 'b' })).toEqual({
    states: { QUEUED: 4, PROCESSING: 0, SUCCEEDED: 8, FAILED: 0, CANCELED: 0 },
    scheduled: 1,
    counts: [all[1], all[0]],
    next: null,
  });
  expect(countsJson(all, { tenant: '' }).counts).toEqual([all[4], all[3], all[2]]);
  expect(countsJson(all, { kind: 'nothing' }).counts).toEqual([]);
});

test('a page is of the counts alone', () => {
  const first = countsJson(all, { limit: 4 });
  expect(first.counts).toHaveLength(4);
  const second = countsJson(all, { limit: 4, cursor: first.next ?? '' });
  expect(second).toMatchObject({ counts: [all[2]], next: null });
  expect(second.states).toEqual(first.states);
});
