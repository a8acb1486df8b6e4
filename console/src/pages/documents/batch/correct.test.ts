import { expect, test } from 'vitest';
import { cellsOf, leftMs } from './cells.ts';
import { correctedTable, failedRowsOf, recordOf } from './correct.ts';
import { parseFailed, writeFailed } from './csv.ts';

const FILE =
  '\ufeffmillrace line;millrace error;Candidate.Name;Name;Hours\r\n' +
  '6;"The data has no ""Candidate.Name"".";;x;"a;b\nc"\r\n' +
  '9;"Hours: ""thirty"" cannot be read.";Ann;;thirty\r\n';

test('the file of failed rows is read and written as it was', () => {
  const table = parseFailed(FILE);
  expect(table.delimiter).toBe(';');
  expect(table.rows[0]).toEqual(['6', 'The data has no "Candidate.Name".', '', 'x', 'a;b\nc']);
  expect(writeFailed(table)).toBe(FILE);
});

test('an error points at its cells: the longest name that it has', () => {
  const [first, second] = failedRowsOf(parseFailed(FILE));
  expect(first).toMatchObject({ line: 6, suspects: [2] });
  expect(second).toMatchObject({ line: 9, who: 'Ann', suspects: [4] });
});

test('only corrected rows are sent, with what was typed', () => {
  const table = parseFailed(FILE);
  const sent = correctedTable(table, new Map([[9, new Map([[4, '30']])]]));
  expect(sent.rows).toEqual([['9', 'Hours: "thirty" cannot be read.', 'Ann', '', '30']]);
  expect(recordOf(['millrace line', 'A.B', 'C'], ['1', 'x', 'y'], new Map([[2, 'z']]))).toEqual({
    A: { B: 'x' },
    C: 'z',
  });
});

const counts = { pending: 0, running: 1, succeeded: 3, failed: 1, canceled: 0, warned: 0 };

test('cells show failed rows where they are', () => {
  const known = [
    { item: 2, state: 'FAILED' as const },
    { item: 5, state: 'RUNNING' as const },
  ];
  const states = cellsOf({ total: 6, counts }, known, 10).map(({ state }) => state);
  expect(states).toEqual(['done', 'failed', 'done', 'done', 'running', 'waiting']);
  expect(cellsOf({ total: 6, counts }, known, 2)).toEqual([
    { first: 1, last: 3, state: 'failed' },
    { first: 4, last: 6, state: 'running' },
  ]);
});

test('what is left is estimated from how fast it was', () => {
  const batch = { total: 8, counts, createdAt: '2026-01-01T00:00:00.000Z' };
  expect(leftMs(batch, Date.parse(batch.createdAt) + 4_000)).toEqual({ ms: 4_000, perSecond: 1 });
  expect(leftMs({ ...batch, total: 4 }, Date.parse(batch.createdAt) + 4_000)).toBeNull();
});
