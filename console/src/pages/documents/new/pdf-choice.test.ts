import { PASSWORD_HEADER } from '@millrace/documents/contract';
import { expect, test } from 'vitest';
import { savedOutput } from '../again/again.ts';
import {
  PLAIN_PDF,
  type PdfChoice,
  passwordHeaderOf,
  pdfInWords,
  pdfQueryOf,
  wrongWith,
} from './pdf-choice.ts';

const chosen = (pdf: Partial<PdfChoice>, format: 'PDF' | 'DOCX' = 'PDF') => ({
  format,
  pdf: { ...PLAIN_PDF, ...pdf },
});

test('a batch is asked for as chosen: nothing of what is empty, and nothing for Word files', () => {
  expect(pdfQueryOf(chosen({}))).toEqual({});
  const all = { archive: '2b', accessible: true, watermark: ' DRAFT ', pages: '1, 4-5' } as const;
  expect(pdfQueryOf(chosen(all))).toEqual({
    pdfA: '2b',
    pdfUa: 'true',
    watermark: 'DRAFT',
    pageRange: '1, 4-5',
  });
  expect(pdfQueryOf(chosen(all, 'DOCX'))).toEqual({});
  expect(pdfInWords({ ...PLAIN_PDF, ...all })).toBe(
    'PDF/A-2b, PDF/UA, watermark “DRAFT”, pages 1, 4-5',
  );
});

test('the password goes in its header, of the characters that a header has', () => {
  expect(passwordHeaderOf(chosen({ locked: true }), 'schön')).toEqual({
    headers: { [PASSWORD_HEADER]: 'sch%C3%B6n' },
  });
  expect(passwordHeaderOf(chosen({}), 'left over')).toEqual({});
  expect(passwordHeaderOf(chosen({ locked: true }, 'DOCX'), 'left over')).toEqual({});
});

test('what the service would refuse is said before the upload', () => {
  const none = { pages: null, password: null };
  expect(wrongWith(chosen({ pages: '1-3, 7-' }), '')).toEqual(none);
  expect(wrongWith(chosen({ pages: 'all' }), '').pages).toMatch(/1-3/);
  expect(wrongWith(chosen({ locked: true }), '').password).toMatch(/missing/);
  expect(wrongWith(chosen({ locked: true }), 'p')).toEqual(none);
  expect(wrongWith(chosen({ locked: true, archive: '1b' }), 'p').password).toMatch(/forbids/);
  expect(wrongWith(chosen({ locked: true, pages: 'all' }, 'DOCX'), '')).toEqual(none);
});

test('a batch that was saved before there were options has plain PDFs', () => {
  const before = { name: 'Offer', locale: 'en-GB', format: 'PDF', gaps: 'hold' };
  expect(savedOutput.parse(before).pdf).toEqual(PLAIN_PDF);
});
