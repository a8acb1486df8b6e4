import { expect, test } from 'vitest';
import { parseSearch, stringifySearch, unreadIn } from '../../shell/address.ts';
import { jobsSearch, withTyped } from './search.ts';

const unreadOf = (address: string) => {
  const { error } = jobsSearch.safeParse(parseSearch(address));
  return unreadIn(error).map(({ name }) => name);
};

test.each([
  ['?createdAfter=notadate', 'createdAfter'],
  ['?from=notadate', 'from'],
  ['?to=2026-01-31', 'to'],
  ['?since=yesterday', 'since'],
  ['?phase=broken', 'phase'],
  ['?state=failed', 'state'],
  ['?kind=sync,', 'kind'],
  ['?kind=sync&kind=load', 'kind'],
  ['?q=', 'q'],
  ['?state=FAILED&phase=failed', 'phase'],
])('%s is not taken for a list of all jobs', (address, name) => {
  expect(unreadOf(address)).toEqual([name]);
});

test('an address is read as people write it, numbers too, and written the same way', () => {
  const address = '?key=42&q=0017&phase=failed%2Cretrying&from=2026-01-31T09%3A30%3A00Z';
  expect(jobsSearch.parse(parseSearch(address))).toEqual({
    key: '42',
    q: '0017',
    phase: 'failed,retrying',
    from: '2026-01-31T09:30:00Z',
  });
  expect(stringifySearch(parseSearch(address))).toBe(address);
});

test('what is typed is added to the filter; a state takes the place of the one before', () => {
  expect(withTyped({ state: 'QUEUED', kind: 'sync' }, 'state:failed one two')).toEqual({
    kind: 'sync',
    phase: 'failed',
    q: 'one two',
  });
  expect(withTyped({}, 'state:broken')).toMatch(/^state: Write one of due, /);
});
