import { expect, test } from 'vitest';
import { rangeOf } from '../../../workloads/kit/src/range.ts';

test.each<[string | undefined, object | null]>([
  [undefined, null],
  ['bytes=0-9', { from: 0, to: 10 }],
  ['bytes=90-', { from: 90, to: 100 }],
  ['bytes=-10', { from: 90, to: 100 }],
  ['bytes=-1000', { from: 0, to: 100 }],
  ['bytes=50-5000', { from: 50, to: 100 }],
  ['bytes=99-99', { from: 99, to: 100 }],
  // Answered with the whole, as HTTP allows.
  ['bytes=0-1,5-6', null],
  ['lines=1-2', null],
  ['bytes=-', null],
])('%s of 100 bytes', (header, range) => expect(rangeOf(header, 100)).toEqual(range));

test.each(['bytes=100-', 'bytes=100-200', 'bytes=9-5', 'bytes=-0'])('%s is refused', (header) => {
  expect(() => rangeOf(header, 100)).toThrow(
    expect.objectContaining({ code: 'invalid_range' }) as Error,
  );
});
