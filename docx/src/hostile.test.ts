import { crc32, deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { docx, p, partXml, relationship, zip } from '../test/builder.ts';
import { textLines } from '../test/read.ts';

import { layOut, stored, writeZip } from '@millrace/zip';
import { type TemplateError, compile, lint } from './index.ts';
import type { CompileOptions } from './index.ts';

function refusal(bytes: Uint8Array, options?: CompileOptions): TemplateError {
  // Linting says the same, and does not throw.
  const report = lint(bytes, options);
  expect(report.ok).toBe(false);
  try {
    compile(bytes, options);
  } catch (error) {
    expect(report.problems[0]).toMatchObject({ code: (error as TemplateError).code });
    return error as TemplateError;
  }
  throw new Error('It compiled.');
}

const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex');

describe('what is no DOCX', () => {
  it.each([
    ['nothing', Buffer.alloc(0), 'not_a_docx'],
    ['text', Buffer.from('hello'), 'not_a_docx'],
    ['RTF', Buffer.from('{\\rtf1 x}'), 'not_a_docx'],
    ['PDF', Buffer.from('%PDF-1.7'), 'not_a_docx'],
    ['HTML', Buffer.from('<html><body/></html>'), 'not_a_docx'],
    ['an old .doc', Buffer.concat([OLE, Buffer.alloc(600)]), 'legacy_doc'],
    [
      'an encrypted one',
      Buffer.concat([OLE, Buffer.alloc(600), Buffer.from('EncryptedPackage', 'utf16le')]),
      'encrypted',
    ],
    [
      'an ODT',
      zip({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': '<a/>' }),
      'open_document',
    ],
    ['an EPUB', zip({ mimetype: 'application/epub+zip', 'a.xml': '<a/>' }), 'not_a_docx'],
    ['a zip', zip({ 'a.txt': 'x' }), 'not_a_docx'],
    [
      'a spreadsheet',
      docx('', {
        mainType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml',
      }),
      'not_a_docx',
    ],
  ])('%s', (_what, bytes, code) => {
    expect(refusal(bytes).code).toBe(code);
  });

  it('is recognised by its content: each sentence says what to do', () => {
    expect(refusal(Buffer.concat([OLE, Buffer.alloc(600)])).message).toContain('Save it as .docx');
  });
});

describe('a damaged zip', () => {
  const good = docx(p('{{A}}'));

  it('cut off anywhere is refused, never crashed on', () => {
    for (let length = 4; length < good.length; length += 37) {
      expect(['truncated', 'corrupt_zip']).toContain(refusal(good.subarray(0, length)).code);
    }
  });

  it('with a flipped byte is refused or reads the same', () => {
    for (let at = 4; at < good.length; at += 11) {
      const bytes = Buffer.from(good);
      bytes[at] = (bytes[at] ?? 0) ^ 0x55;
      const report = lint(bytes);
      if (report.ok) compile(bytes).merge({});
    }
  });

  it('with an encrypted entry is refused', () => {
    const bytes = Buffer.from(good);
    const central = bytes.indexOf(Buffer.from('PK\u0001\u0002'));
    bytes.writeUInt16LE(bytes.readUInt16LE(central + 8) | 1, central + 8);
    expect(refusal(bytes).code).toBe('encrypted');
  });

  it('with unsafe or double names is refused', () => {
    expect(refusal(docx(p('x'), { files: { '../evil.xml': '<a/>' } })).code).toBe('corrupt_zip');
    expect(refusal(docx(p('x'), { files: { '/etc/passwd': '<a/>' } })).code).toBe('corrupt_zip');
    expect(refusal(docx(p('x'), { files: { 'word/DOCUMENT.xml': '<a/>' } })).code).toBe(
      'corrupt_zip',
    );
  });

  it('with overlapping entries is refused', () => {
    // The second file lies inside the first one's data: each is sound by itself.
    const inner = layOut([stored('inner.bin', Buffer.from('x'))]);
    const outer = layOut([stored('outer.bin', inner.body)]);
    const nested = Buffer.from(inner.directory);
    nested.writeUInt32LE(30 + 'outer.bin'.length, 42);
    const directory = Buffer.concat([outer.directory, nested]);
    const bytes = writeZip([], { body: outer.body, directory, count: 2 });
    const error = refusal(bytes);
    expect(error.code).toBe('corrupt_zip');
    expect(error.message).toContain('overlap');
  });
});

describe('a bomb', () => {
  it('is refused by the size that it states', () => {
    const bytes = docx(p('x'), { files: { 'word/big.xml': Buffer.alloc(3_000_000) } });
    expect(refusal(bytes, { limits: { inflatedBytes: 2_000_000 } }).code).toBe('too_large');
    expect(refusal(docx(p('x'.repeat(100_000))), { limits: { xmlBytes: 50_000 } }).code).toBe(
      'too_large',
    );
  });

  it('is refused when it states less than it inflates to', () => {
    const zeros = Buffer.alloc(50_000_000, 0x20);
    const bytes = docx(p('LIE'), {
      relationships: relationship('rIdX', 'image', 'media/a.png'),
      files: { 'word/media/a.png': 'tiny' },
    });
    const packed = deflateRawSync(zeros);
    const lying = spliceEntry(bytes, 'word/media/a.png', packed, 4, crc32(zeros));
    expect(refusal(lying).code).toBe('corrupt_zip');
  });

  it('of entries is refused', () => {
    const files = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`x/${i}.xml`, '<a/>']));
    expect(refusal(docx(p('x'), { files }), { limits: { entries: 30 } }).code).toBe(
      'too_many_entries',
    );
  });

  it('of nesting is refused, and overflows no stack', () => {
    const deep = '<w:smartTag>'.repeat(100_000) + '</w:smartTag>'.repeat(100_000);
    expect(refusal(docx(`<w:p>${deep}</w:p>`)).code).toBe('too_deep');
  });

  it('of elements is refused before they are held in memory', () => {
    const bytes = docx('<w:p/>'.repeat(4_950_000));
    expect(bytes.length).toBeLessThan(60_000);
    expect(refusal(bytes).code).toBe('too_many_elements');
    // All parts count together, and texts count as elements do.
    const parts = docx(p('x').repeat(40), { header: p('x').repeat(40) });
    expect(compile(parts, { limits: { tokens: 1_000 } })).toBeDefined();
    expect(refusal(parts, { limits: { tokens: 500 } }).code).toBe('too_many_elements');
    const texts = docx(`<w:p>${'x<!-- -->'.repeat(400)}</w:p>`);
    expect(refusal(texts, { limits: { tokens: 300 } }).code).toBe('too_many_elements');
  });

  it('of braces is refused with the first problems only', () => {
    const { problems } = lint(docx(p('{{'.repeat(2_000_000))));
    expect(problems.map(({ code }) => code)).toContain('too_many_problems');
    expect(problems.length).toBeLessThan(1_100);
    expect(refusal(docx(p('{{A}}'.repeat(500_000)))).code).toBe('too_many_tags');
  });

  it('of relationships is reported without overflowing', () => {
    const many = Array.from({ length: 130_000 }, (_, i) => relationship(`r${i}`, 'x', 'y'));
    const { ok, problems } = lint(docx(p('x'), { relationships: many.join('') }));
    expect(ok).toBe(true);
    expect(problems.length).toBeLessThan(1_100);
  });

  it('of tags is refused', () => {
    expect(refusal(docx(p('{{A}}'.repeat(100))), { limits: { tags: 50 } }).code).toBe(
      'too_many_tags',
    );
  });
});

/** Replaces an entry's data, in the last place of the zip where the builder puts extra files. */
function spliceEntry(
  bytes: Buffer,
  name: string,
  packed: Buffer,
  size: number,
  crc: number,
): Buffer {
  const central = bytes.indexOf(Buffer.from('PK\u0001\u0002'));
  const entryAt = bytes.lastIndexOf(Buffer.from(name)) - 46;
  const localAt = bytes.readUInt32LE(entryAt + 42);
  const dataAt = localAt + 30 + name.length;
  const directory = Buffer.from(bytes.subarray(central));
  const fields: [Buffer, number][] = [[directory, entryAt - central + 16]];
  const local = Buffer.from(bytes.subarray(0, dataAt));
  fields.push([local, localAt + 14]);
  for (const [buffer, at] of fields) {
    buffer.writeUInt32LE(crc, at);
    buffer.writeUInt32LE(packed.length, at + 4);
    buffer.writeUInt32LE(size, at + 8);
  }
  directory.writeUInt32LE(dataAt + packed.length, directory.length - 6);
  return Buffer.concat([local, packed, directory]);
}

describe('XML that is not safe', () => {
  const withMain = (xml: string | Buffer) => docx('', { files: { 'word/document.xml': xml } });
  const XXE =
    '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">&e;</w:document>';

  it('with a document type is refused, in every part and encoding', () => {
    expect(refusal(withMain(XXE)).code).toBe('dtd_not_allowed');
    expect(refusal(withMain(Buffer.from(`\ufeff${XXE}`, 'utf16le'))).code).toBe('dtd_not_allowed');
    const styles = docx(p('x'), { files: { 'word/styles.xml': '<!DOCTYPE a><a/>' } });
    expect(refusal(styles).code).toBe('dtd_not_allowed');
    const rels = docx(p('x'), { files: { 'word/_rels/document.xml.rels': '<!DOCTYPE a><a/>' } });
    expect(refusal(rels).code).toBe('dtd_not_allowed');
  });

  it.each([
    ['<a><b></a>', 'malformed_xml'],
    ['<a', 'malformed_xml'],
    ['<a>&unknown;</a>', 'malformed_xml'],
    ['<a x="1" x="2"/>', 'malformed_xml'],
    ['<a x=1/>', 'malformed_xml'],
    ['<a x="<"/>', 'malformed_xml'],
    ['<a/><b/>', 'malformed_xml'],
    ['<a>\u0001</a>', 'malformed_xml'],
    ['<!-- never closed', 'malformed_xml'],
    ['<?xml version="1.0" encoding="UTF-7"?><a/>', 'unsupported_encoding'],
    ['<w:document xmlns:w="urn:other"/>', 'not_a_docx'],
    ['<x:document xmlns:w="urn:other"/>', 'malformed_xml'],
  ])('%s is %s', (xml, code) => {
    expect(refusal(withMain(xml)).code).toBe(code);
  });

  it('with bytes that are no UTF-8 is refused, and not printed as question marks', () => {
    const xml = partXml(docx(p('caf\u00e9')));
    const latin1 = Buffer.from(xml, 'latin1');
    const error = refusal(withMain(latin1));
    expect(error.code).toBe('unsupported_encoding');
    expect(error.message).toContain('word/document.xml');
    const declared = Buffer.from(xml.replace('UTF-8', 'ISO-8859-1'), 'latin1');
    expect(textLines(compile(withMain(declared)).merge({}))).toEqual(['caf\u00e9']);
  });
});
