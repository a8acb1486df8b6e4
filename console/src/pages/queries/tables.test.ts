import { expect, test } from 'vitest';
import { tablesLike } from './tables.ts';

const table = (name: string) => ({ name, fields: null });

test('tables are found by a part of their names, and sorted as people sort', () => {
  const tables = ['Week 10', 'week 2', 'Año', 'R&D: People', '_Sent'].map(table);
  expect(tablesLike(tables, '').map(({ name }) => name)).toEqual([
    '_Sent',
    'Año',
    'R&D: People',
    'week 2',
    'Week 10',
  ]);
  expect(tablesLike(tables, ' WEEK ').map(({ name }) => name)).toEqual(['week 2', 'Week 10']);
});
