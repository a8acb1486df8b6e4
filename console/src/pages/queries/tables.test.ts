import { expect, test } from 'vitest';
import { linesOf, tablesLike } from './tables.ts';

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

test('tables are in their folders, and a folder that all are in is left out', () => {
  const inside = (name: string, ...folders: string[]) => ({ ...table(name), folders });
  const tables = [
    inside('A', 'Data Extensions', 'Week 10'),
    inside('B', 'Data Extensions', 'Week 2', 'Old'),
    inside('C', 'Data Extensions'),
  ];
  const lines = (isOpen: (folder: string) => boolean) =>
    linesOf(tables, isOpen).map(
      (line) =>
        `${' '.repeat(line.depth)}${line.kind === 'folder' ? `${line.name} ${line.tables}` : line.table.name}`,
    );
  expect(lines(() => false)).toEqual(['Week 2 1', 'Week 10 1', 'C']);
  expect(lines((folder) => folder.includes('Week 2/'))).toEqual([
    'Week 2 1',
    ' Old 1',
    '  B',
    'Week 10 1',
    'C',
  ]);
  expect(linesOf([table('A'), table('B')], () => false).map(({ key }) => key)).toEqual(['A', 'B']);
});
