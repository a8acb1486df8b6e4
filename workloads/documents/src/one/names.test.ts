import { expect, test } from 'vitest';
import { mediaTypeOf, nameFromRow, outputName, safeName, uniqueNames } from './names.ts';

test.each([
  ['Invoice 7.pdf', 'Invoice 7.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Windows\\system.ini', 'system.ini'],
  ['a\u0000b\nc\u200Bd\u202Ee.pdf', 'abcde.pdf'],
  ['Rechnung 2026/0417', 'Rechnung 2026-0417'],
  ['Offer A\\B 7.pdf', 'Offer A-B 7.pdf'],
  ['/var/spool/a.pdf', 'a.pdf'],
  ['a/../../b.pdf', 'b.pdf'],
  ['\\\\host\\share\\a.pdf', 'a.pdf'],
  ['..', 'document'],
  ['   ', 'document'],
  ['.htaccess', 'htaccess'],
  ['name. . ', 'name'],
  ['a<b>:"c|d?*.pdf', 'a_b___c_d__.pdf'],
  ['NUL', '_NUL'],
  ['con.pdf', '_con.pdf'],
  ['conrad.pdf', 'conrad.pdf'],
  ['Übergröße 漢字.pdf', 'Übergröße 漢字.pdf'],
  ['half \ud800 pair', 'half \ufffd pair'],
])('%j is saved as %j', (asked, name) => {
  expect(safeName(asked)).toBe(name);
});

test('a long name keeps its ending and whole characters', () => {
  const name = safeName(`${'漢'.repeat(300)}.pdf`);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
  expect(name).toMatch(/^漢+\.pdf$/);
});

test.each([
  ['a', 'pdf', 'a.pdf'],
  ['a.PDF', 'pdf', 'a.pdf'],
  ['a.docx', 'pdf', 'a.pdf'],
  ['v1.2', 'docx', 'v1.2.docx'],
  ['Rechnung 2026/0417', 'pdf', 'Rechnung 2026-0417.pdf'],
  ['.pdf', 'pdf', 'pdf.pdf'],
] as const)('%s as %s is %s', (asked, ending, name) => {
  expect(outputName(asked, ending)).toBe(name);
});

test('media types by ending, and none that is inherited', () => {
  expect(mediaTypeOf('a.PDF')).toBe('application/pdf');
  expect(mediaTypeOf('a.constructor')).toBe('application/octet-stream');
  expect(mediaTypeOf('a')).toBe('application/octet-stream');
});

test('names in one folder are unique, whatever their case', () => {
  const unique = uniqueNames();
  const names = ['a.pdf', 'A.pdf', 'a (2).pdf', 'a.pdf', 'b', 'b'].map(unique);
  expect(names).toEqual(['a.pdf', 'A (2).pdf', 'a (2) (2).pdf', 'a (3).pdf', 'b', 'b (2)']);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
});

test('a name takes fields of the row, own ones only, and no path', () => {
  const row = { A: { Name: 'x/../y', No: 7 }, Open: true };
  expect(nameFromRow('{{A.Name}} {{ A.No }} {{Open}} {{@number}}', row, 3)).toBe('x_.._y 7 true 3');
  expect(nameFromRow('{{[First Name]}} {{[Nr.]}}', { 'First Name': 'Ada', 'Nr.': 7 }, 1)).toBe(
    'Ada 7',
  );
  const asWritten = { 'Nr.': 7, 'Tel. (privat)': '030', '1. Rate': 5 };
  expect(nameFromRow('{{Nr.}} {{Tel. (privat)}} {{ 1. Rate }}', asWritten, 1)).toBe('7 030 5');
  expect(nameFromRow('{{constructor.name}}{{A}}{{Gone.Far}}!', row, 1)).toBe('!');
});

test('names and patterns are read in time that grows with their length', () => {
  const spaces = ' '.repeat(1_000_000);
  expect(safeName(`a${spaces}b.pdf`)).toMatch(/^a *\.pdf$/);
  // Three runs of spaces that can be divided in any way: a thousand million ways.
  expect(nameFromRow(`{{${spaces}`, {}, 1)).toBe(`{{${spaces}`);
  expect(nameFromRow(`{{${spaces}A${spaces}}}`, { A: 'x' }, 1)).toBe('x');
});
