import { expect, test } from 'vitest';
import { soqlText, soqlTime } from './soql.ts';

test('text cannot leave its quotes', () => {
  expect(soqlText("O'Hara")).toBe(String.raw`'O\'Hara'`);
  expect(soqlText(String.raw`\' OR Name != '`)).toBe(String.raw`'\\\' OR Name != \''`);
  expect(soqlText('"a"\n\r\t\b\f')).toBe(String.raw`'\"a\"\n\r\t\b\f'`);
  expect(soqlText('Grüße 100 %')).toBe("'Grüße 100 %'");
});

test('a time stands in UTC', () => {
  expect(soqlTime(Date.UTC(2026, 2, 1, 12, 0, 0, 5))).toBe('2026-03-01T12:00:00.005Z');
});
