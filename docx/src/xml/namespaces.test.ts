import { describe, expect, it } from 'vitest';
import { NAMESPACES, docx, p, partXml, r, relationship } from '../../test/builder.ts';
import { faults, textLines } from '../../test/read.ts';
import { compile, lint } from '../index.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { useKnownPrefixes } from './namespaces.ts';
import { tokenize } from './tokenizer.ts';

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const STRICT = 'http://purl.oclc.org/ooxml/wordprocessingml/main';
const MC = 'http://schemas.openxmlformats.org/markup-compatibility/2006';
const R = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const WPS = 'http://schemas.microsoft.com/office/word/2010/wordprocessingShape';

/** What is written for an XML text once its names are the usual ones. */
function renamed(xml: string): string {
  const tokens = tokenize(xml, 'part', DEFAULT_LIMITS);
  useKnownPrefixes(tokens, 'part');
  return tokens.map(({ raw }) => raw).join('');
}

describe('names of a part', () => {
  it('stay as they are where all prefixes are the usual ones', () => {
    const tokens = tokenize(
      `<w:p ${NAMESPACES} xmlns:x="urn:x" xmlns="urn:y"/>`,
      'p',
      DEFAULT_LIMITS,
    );
    expect(useKnownPrefixes(tokens, 'p')).toBe(false);
  });

  it.each([
    ['a prefix', `<ns0:p xmlns:ns0="${W}"><ns0:r ns0:a="1"/></ns0:p>`],
    ['the default namespace', `<p xmlns="${W}" xmlns:q="${W}"><r q:a="1"/></p>`],
    ['a declaration further in', `<a:p xmlns:a="${W}"><b:r xmlns:b="${W}" b:a="1"/></a:p>`],
    [
      'a prefix written as an entity',
      `<q:p xmlns:q="${W.replace('h', '&#104;')}"><q:r q:a="1"/></q:p>`,
    ],
  ])('are the usual ones, from %s', (_from, xml) => {
    expect(renamed(xml)).toBe(`<w:p xmlns:w="${W}"><w:r w:a="1"/></w:p>`);
  });

  it('follow what an inner element declares, and what holds again after it', () => {
    const xml = `<w:p xmlns:w="${W}"><w:x xmlns:w="urn:other"><w:y/></w:x><w:r/></w:p>`;
    expect(renamed(xml)).toBe(
      `<w:p xmlns:w="${W}" xmlns:ns0="urn:other"><ns0:x><ns0:y/></ns0:x><w:r/></w:p>`,
    );
  });

  it('outside of every namespace stay there, also where a default one was cancelled', () => {
    expect(renamed(`<p xmlns="${W}" x="1"><q xmlns="" y="2"><r/></q></p>`)).toBe(
      `<w:p xmlns:w="${W}" x="1"><q y="2"><r/></q></w:p>`,
    );
  });

  it('are renamed in lists of prefixes too', () => {
    const xml =
      `<w:p xmlns:w="${W}" xmlns:ve="${MC}" xmlns:s="${WPS}" xmlns:n="urn:n" ve:Ignorable="s  n gone">` +
      '<ve:AlternateContent><ve:Choice Requires="s"/></ve:AlternateContent></w:p>';
    expect(renamed(xml)).toBe(
      `<w:p xmlns:mc="${MC}" xmlns:wps="${WPS}" xmlns:n="urn:n" xmlns:w="${W}" mc:Ignorable="wps n gone">` +
        '<mc:AlternateContent><mc:Choice Requires="wps"/></mc:AlternateContent></w:p>',
    );
  });

  it('keep xml:space, quotes and references in values', () => {
    expect(renamed(`<q:t xmlns:q="${W}" xml:space='preserve' q:v='"&amp;'>x</q:t>`)).toBe(
      `<w:t xmlns:w="${W}" xml:space='preserve' w:v='"&amp;'>x</w:t>`,
    );
  });

  it('never share a prefix, whatever the writer called the others', () => {
    const xml = `<q:p xmlns:q="${W}" xmlns:w="urn:1"><w:x/><ns0:y xmlns:ns0="urn:2"/><z xmlns="urn:3"/></q:p>`;
    expect(renamed(xml)).toBe(
      `<w:p xmlns:w="${W}" xmlns:ns0="urn:1" xmlns:ns1="urn:2" xmlns:ns2="urn:3"><ns0:x/><ns1:y/><ns2:z/></w:p>`,
    );
  });

  it('of both forms of the format become those of the first', () => {
    expect(renamed(`<a:p xmlns:a="${STRICT}"><b:r xmlns:b="${W}"/></a:p>`)).toBe(
      `<w:p xmlns:w="${STRICT}"><w:r/></w:p>`,
    );
  });

  it('that are given twice, or with an unknown prefix, are refused', () => {
    expect(() => renamed(`<a:p xmlns:a="${W}" xmlns:b="${W}" a:v="1" b:v="2"/>`)).toThrow(/twice/);
    expect(() => renamed(`<a:p xmlns:a="${W}"><q:r/></a:p>`)).toThrow(/not declared/);
  });
});

/** A file whose main part writes `ve:` for `mc:` and `ns0:` for `w:`. */
function foreign(body: string, relationships = ''): Buffer {
  const xml = `<w:document ${NAMESPACES}><w:body>${body}<w:sectPr/></w:body></w:document>`;
  const text = xml.replace(/(<\/?|\s|xmlns:)w:/g, '$1ns0:').replace(/\bmc(?=[:=])/g, 've');
  const main = text.replace('xmlns:w=', 'xmlns:ns0=');
  return docx('', { files: { 'word/document.xml': main }, relationships });
}

describe('a template with foreign prefixes', () => {
  it('is filled like any other', () => {
    const body = p('Dear {{Na', 'me}}') + '<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>';
    const bytes = foreign(body);
    expect(partXml(bytes)).toContain('<ns0:document');
    const output = compile(bytes).merge({ Name: 'Ada' });
    expect(textLines(output)[0]).toBe('Dear Ada');
    expect(faults(output)).toEqual([]);
    expect(lint(bytes).problems).toEqual([]);
  });

  it('loses what reaches outside, under any prefix', () => {
    const bytes = foreign(
      `<w:altChunk r:id="rIdK"/><w:p><w:hyperlink xmlns:q="${R}" q:id="rIdL">${r('local')}</w:hyperlink></w:p>`,
      relationship('rIdK', 'aFChunk', 'chunk.html') +
        relationship('rIdL', 'hyperlink', 'file:///etc/passwd', true),
    );
    const output = compile(bytes).merge({});
    expect(partXml(output)).not.toMatch(/altChunk|rIdL|hyperlink/);
    expect(textLines(output)).toEqual(['local']);
  });

  it.each(['utf16le', 'latin1'] as const)('is read in %s, and written in UTF-8', (encoding) => {
    const head = encoding === 'latin1' ? '<?xml version="1.0" encoding="ISO-8859-1"?>' : '\ufeff';
    const xml = `${head}<w:document ${NAMESPACES}><w:body>${p('Größe {{A}}')}</w:body></w:document>`;
    const output = compile(
      docx('', { files: { 'word/document.xml': Buffer.from(xml, encoding) } }),
    ).merge({ A: 'ü' });
    expect(textLines(output)).toEqual(['Größe ü']);
  });

  it('has tags and attributes with spaces between them read as those without', () => {
    const xml = `<w:document ${NAMESPACES}><w:body><w:p ><w:r\n><w:t   xml:space = 'preserve' >{{A}}</w:t ></w:r></w:p><w:p   /></w:body></w:document>`;
    const output = compile(docx('', { files: { 'word/document.xml': xml } })).merge({ A: 'x' });
    expect(textLines(output)).toEqual(['x', '']);
    expect(partXml(output)).toContain(
      '<w:p><w:r><w:t xml:space="preserve">x</w:t></w:r></w:p><w:p></w:p>',
    );
  });
});
