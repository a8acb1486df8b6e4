import type { Filter } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { checkBulkFilter, checkFilter, checkList } from './filter.ts';

describe('a filter that would mean other jobs than it says is refused', () => {
  it.each<[string, unknown, string]>([
    ['a misspelt field', { kin: 'greet' }, 'kin: there is no such field. Did you mean "kind"?'],
    ['a filter in a filter', { filter: { kind: 'greet' } }, 'filter: there is no such field.'],
    [
      'a state of no job',
      { state: 'queued' },
      'state: this is not possible. Give it one of QUEUED',
    ],
    ['a phase of no job', { phases: ['waiting'] }, 'a list of due, scheduled'],
    ['a kind itself', { kind: { kind: 'greet' } }, 'the name of a kind, such as greet.kind'],
    ['one of many', { tenants: 'acme' }, 'tenants: this is not possible. Give it a list of texts'],
    ['a date', { createdAfter: new Date(0) }, 'milliseconds since 1970'],
    ['null', { key: null }, 'key: this is not possible. Give it a text'],
    ['nothing at all', undefined, 'an object, such as { kind: "greet" }'],
  ])('%s', (_, filter, sentence) => {
    expect(() => checkFilter('cancelWhere', filter as Filter)).toThrow(sentence);
    expect(() => checkFilter('cancelWhere', filter as Filter)).toThrow(
      expect.objectContaining({ code: 'invalid_definition' }),
    );
  });
});

it('a value that is missing is left out of a list, and refused by calls that change all matching jobs', () => {
  const filter = { kind: 'greet', tenant: undefined } as unknown as Filter;
  expect(() => checkList({ filter })).not.toThrow();
  expect(() => checkBulkFilter('cancelWhere', filter)).toThrow('every job would fit');
});

it('all that a filter can say passes', () => {
  const filter: Filter = {
    state: 'QUEUED',
    phases: ['due', 'retrying'],
    kind: 'greet',
    kinds: ['greet'],
    tenant: '',
    tenants: [],
    submitter: 'Ada',
    worker: 'w',
    schedule: 's',
    key: 'k',
    correlationId: 'c',
    errorCode: 'e',
    search: 't',
    createdAfter: 0,
    createdBefore: Date.now(),
  };
  expect(checkBulkFilter('retryWhere', filter)).toBe(filter);
  expect(checkBulkFilter('cancelWhere', {})).toEqual({});
  expect(() => checkList({ filter, limit: 5, cursor: 'x' })).not.toThrow();
  expect(() => checkList({ filtr: {} } as object)).toThrow('Did you mean "filter"?');
});
