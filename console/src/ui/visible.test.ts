import { expect, test } from 'vitest';
import { visible } from './visible.ts';

test('characters that hide or turn text around are written out', () => {
  expect(visible('\u202Egnp.exe\u202C')).toBe('\\u202egnp.exe\\u202c');
  expect(visible('in\u200Bvoice \uFEFF7')).toBe('in\\u200bvoice \\ufeff7');
});

test('joiners of scripts and emoji stay', () => {
  const text = 'می\u200Cخواهم 👩\u200D💻 \u05E9\u05DC\u05D5\u05DD';
  expect(visible(text)).toBe(text);
});
