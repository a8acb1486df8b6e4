import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { field } from '../../test/documents.ts';
import { coverageOf, covering } from './coverage.ts';
import { NOTHING, look } from './look.ts';
import { docxOf, paragraph } from '../page.ts';
import { zip } from '@millrace/zip';

const everything = () => true;

test('a table of contents and the name are found by their fields, also in a header, not by their words', () => {
  expect(look(docxOf({ body: field('TOC \\o "1-3"') }), everything)).toMatchObject({
    canRefresh: true,
    printsName: false,
  });
  const header = `<w:hdr><w:p><w:fldSimple w:instr=" FILENAME \\* MERGEFORMAT "/></w:p></w:hdr>`;
  const named = docxOf({ body: paragraph('x'), parts: { 'word/header1.xml': header } });
  expect(look(named, everything)).toMatchObject({ canRefresh: false, printsName: true });
  expect(look(docxOf({ body: paragraph('TOC FILENAME') }), everything)).toEqual(NOTHING);
});

test('a document of nothing but the word of a field is read in time that grows with it', () => {
  // 900 KB took four minutes where each word was followed to the end.
  const words = 'instrText'.repeat(100_000);
  expect(look(docxOf({ body: paragraph(words) }), everything)).toEqual(NOTHING);
});

test('characters without a font are given once, ten at the most', () => {
  const covers = covering(coverageOf(['20-7e a0-24f 400-45f', '2019']));
  const text = (body: string) => look(docxOf({ body: paragraph(body) }), covers).missing;
  expect(text('Grüße, Привет ’ \u200d')).toEqual([]);
  expect(text('請求書 請求書 😀')).toEqual(['請', '求', '書', '😀']);
  expect(text('一二三四五六七八九十百千')).toHaveLength(10);
});

test('where no fonts are known, nothing is claimed', () => {
  const covers = covering(coverageOf([]));
  expect(look(docxOf({ body: paragraph('請') }), covers).missing).toEqual([]);
});

test('deflated parts are read; what is broken, or would grow without end, is left to LibreOffice', () => {
  const xml = Buffer.from(paragraph('請'));
  const none = () => false;
  const stored = zip({ 'word/document.xml': xml });
  expect(look(deflated(stored, xml), none).missing).toEqual(['請']);
  expect(look(stored.subarray(0, 40), none)).toEqual(NOTHING);
  expect(look(Buffer.from('PK\u0005\u0006'), none)).toEqual(NOTHING);
});

/** The one entry of a ZIP, deflated: method and size stand in its directory. */
function deflated(stored: Buffer, content: Buffer): Buffer {
  const packed = deflateRawSync(content);
  const start = stored.indexOf(content);
  const result = Buffer.concat([
    stored.subarray(0, start),
    packed,
    stored.subarray(start + content.length),
  ]);
  const entry = result.indexOf('PK\u0001\u0002');
  result.writeUInt16LE(8, entry + 10);
  result.writeUInt32LE(packed.length, entry + 20);
  const end = result.indexOf('PK\u0005\u0006');
  result.writeUInt32LE(entry, end + 16);
  return result;
}

test.each<[string, boolean, string]>([
  ['by levels, styles and links', true, 'TOC \\o "1-3" \\h \\z \\u \\t "My Style,1"'],
  ['with quotes as entities', true, 'TOC \\o &quot;1-3&quot;'],
  ['with a list of styles as German Word writes it', false, 'TOC \\h \\t "My Style;1"'],
  ['of figures', false, 'TOC \\h \\z \\c "Figure"'],
  ['of a bookmarked part', false, 'TOC \\b part'],
  ['by words', false, 'INDEX \\c "2"'],
  ['of sources', false, 'BIBLIOGRAPHY'],
  ['of authorities', false, 'TOA \\c 1'],
])('an index %s can be refreshed: %s', (_, canRefresh, code) => {
  expect(look(docxOf({ body: field(code) }), everything)).toMatchObject({ canRefresh });
  const both = docxOf({ body: field('TOC \\o "1-3"') + field(code) });
  expect(look(both, everything)).toMatchObject({ canRefresh });
});

test('a table of contents whose paragraph goes on behind it is left as it is', () => {
  const goesOn = field('TOC \\o "1-3"').replace('</w:p>', '<w:r><w:t>and so on</w:t></w:r></w:p>');
  expect(look(docxOf({ body: goesOn }), everything).canRefresh).toBe(false);
  const inner = field('PAGEREF x').replace(/<\/?w:p>/g, '');
  const outer = field('TOC \\o "1-3"').replace('before', `before</w:t></w:r>${inner}<w:r><w:t>`);
  expect(look(docxOf({ body: outer }), everything).canRefresh).toBe(true);
  expect(look(docxOf({ body: outer + goesOn }), everything).canRefresh).toBe(false);
});
