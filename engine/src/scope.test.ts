import { expect, test } from 'vitest';
import { EVERYTHING, type Scope, narrowed, tenantsOf } from './scope.ts';
import type { Filter } from './filter.ts';

const bolt: Scope = { tenants: ['bolt', 'nut'], tenant: 'bolt', owner: null };

test.each<[string, Scope, Filter, readonly string[] | 'all']>([
  ['all of the caller’s, where none was named', bolt, {}, ['bolt', 'nut']],
  ['the one that was named', bolt, { tenant: 'nut' }, ['nut']],
  ['nobody, where a stranger was named', bolt, { tenant: 'acme' }, []],
  ['any that is named by who may see all', EVERYTHING, { tenant: 'acme' }, ['acme']],
  ['all, of who may see all', EVERYTHING, {}, 'all'],
])('a filter reaches %s', (_, scope, filter, expected) => {
  expect(tenantsOf(narrowed(scope, filter))).toEqual(expected);
});
