import { execFileSync } from 'node:child_process';
import { inflateSync } from 'node:zlib';
import { need } from '../../../scripts/need.mjs';
import { docxOf, paragraph } from '../src/page.ts';
import { encodePng } from '../src/program/thumbnail.ts';

await need('pdf');

/** Documents built in code, and what poppler finds in the PDFs made of them. */

export function letter(...lines: string[]): Buffer {
  return docxOf({ body: lines.map(paragraph).join('') });
}

/** A paragraph on a ground of this colour. */
export function coloured(rgb: string): Buffer {
  return docxOf({
    body: `<w:p><w:pPr><w:shd w:val="clear" w:fill="${rgb}"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>`,
  });
}

/** A page each. */
export function pages(...texts: string[]): Buffer {
  const pageBreak = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>';
  return docxOf({ body: texts.map(paragraph).join(pageBreak) });
}

/** Slow enough to be caught at work: a second or more. */
export function longTable(rows: number): Buffer {
  const cell = (text: string) =>
    `<w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr>${paragraph(text)}</w:tc>`;
  const row = (n: number) => `<w:tr>${[1, 2, 3, 4].map((c) => cell(`${n} ${c}`)).join('')}</w:tr>`;
  const table = Array.from({ length: rows }, (_, n) => row(n)).join('');
  return docxOf({
    body: `<w:tbl><w:tblPr><w:tblW w:w="8000" w:type="dxa"/></w:tblPr>${table}</w:tbl>${paragraph('end')}`,
  });
}

/** Everything through which a document can make LibreOffice reach out, for each of the given addresses. */
export function reachingOut(urls: readonly string[]): Buffer {
  const body = urls.map(
    (url, n) =>
      `${linkedPicture(`pic${n}`, n + 1)}${field(`INCLUDEPICTURE "${url}" \\d`)}${field(`INCLUDETEXT "${url}"`)}<w:altChunk r:id="chunk${n}"/>`,
  );
  const relationships = urls.map(
    (url, n) =>
      external(`pic${n}`, 'image', url) +
      external(`chunk${n}`, 'aFChunk', url) +
      external(`template${n}`, 'attachedTemplate', url),
  );
  return docxOf({
    body: paragraph('Reaching out') + body.join(''),
    relationships: relationships.join(''),
  });
}

/** A text that writes this file as soon as it is loaded. Not a DOCX: those hold macros in a form nobody writes by hand. */
export function withMacro(file: string): Buffer {
  const names = ['office', 'text', 'script'].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  );
  const program = `Sub Sing\nOpen "${file}" For Output As #1\nClose #1\nEnd Sub`;
  const libraries = `<ooo:libraries><ooo:library-embedded ooo:name="Standard"><ooo:module ooo:name="Canary"><ooo:source-code>${program}</ooo:source-code></ooo:module></ooo:library-embedded></ooo:libraries>`;
  const listener =
    '<script:event-listener script:language="ooo:script" script:event-name="dom:load" xlink:href="vnd.sun.star.script:Standard.Canary.Sing?language=Basic&amp;location=document" xlink:type="simple"/>';
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><office:document ${names.join(' ')} xmlns:ooo="http://openoffice.org/2004/office" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dom="http://www.w3.org/2001/xml-events" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text"><office:scripts><office:script script:language="ooo:Basic">${libraries}</office:script><office:event-listeners>${listener}</office:event-listeners></office:scripts><office:body><office:text><text:p>x</text:p></office:text></office:body></office:document>`,
  );
}

export function external(id: string, type: string, target: string): string {
  return `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}" TargetMode="External"/>`;
}

export function field(code: string): string {
  const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
  return `<w:p>${mark('begin')}<w:r><w:instrText xml:space="preserve"> ${code} </w:instrText></w:r>${mark('separate')}<w:r><w:t>before</w:t></w:r>${mark('end')}</w:p>`;
}

export const pageBreak = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>';

export function heading(text: string): string {
  return `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
}

/** A table of contents as Word left it, with one line. */
export function contents(line: string, page: string): string {
  const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
  const style = '<w:pPr><w:pStyle w:val="TOC1"/></w:pPr>';
  return `<w:p>${style}${mark('begin')}<w:r><w:instrText xml:space="preserve"> TOC \\o "1-3" \\h \\z </w:instrText></w:r>${mark('separate')}<w:r><w:t>${line}</w:t><w:tab/><w:t>${page}</w:t></w:r></w:p><w:p>${mark('end')}</w:p>`;
}

/** With a style for headings and one for the lines of a table of contents. */
export function withStyles(body: string): Buffer {
  const style = (id: string, name: string, properties: string) =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/><w:pPr>${properties}</w:pPr></w:style>`;
  const tab = '<w:tabs><w:tab w:val="right" w:leader="dot" w:pos="9000"/></w:tabs>';
  return docxOf({
    body,
    relationships:
      '<Relationship Id="styles" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/>',
    parts: {
      'word/styles.xml': `<?xml version="1.0"?><w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${style('Heading1', 'heading 1', '<w:outlineLvl w:val="0"/>')}${style('TOC1', 'toc 1', tab)}</w:styles>`,
    },
  });
}

/** A letter with a picture of many colours, which LibreOffice makes a JPEG of. */
export function withPicture(text: string): Buffer {
  const size = { width: 120, height: 120, order: 'rgba' } as const;
  const pixels = Buffer.alloc(size.width * size.height * 4, 255);
  for (let at = 0; at < pixels.length; at += 4) {
    pixels[at] = (at * 7) % 251;
    pixels[at + 1] = at >> 8;
  }
  return docxOf({
    body: paragraph(text) + picture('r:embed="pic"', 1),
    relationships:
      '<Relationship Id="pic" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/a.png"/>',
    parts: { 'word/media/a.png': encodePng(pixels, size) },
  });
}

function linkedPicture(relationship: string, id: number): string {
  return picture(`r:link="${relationship}"`, id);
}

export function picture(reference: string, id: number): string {
  const drawing = 'http://schemas.openxmlformats.org/drawingml/2006';
  const names = `xmlns:wp="${drawing}/wordprocessingDrawing" xmlns:a="${drawing}/main" xmlns:pic="${drawing}/picture"`;
  const size = 'cx="1000000" cy="1000000"';
  return `<w:p><w:r><w:drawing ${names}><wp:inline><wp:extent ${size}/><wp:docPr id="${id}" name="p"/><a:graphic><a:graphicData uri="${drawing}/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="${id}" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip ${reference}/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext ${size}/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
}

export function textOf(pdf: Uint8Array, ...options: string[]): string {
  return execFileSync('pdftotext', [...options, '-', '-'], {
    input: pdf,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

export function infoOf(pdf: Uint8Array, ...options: string[]): string {
  return execFileSync('pdfinfo', [...options, '-'], {
    input: pdf,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

/** The pages of a document as pictures. */
export function pixelsOf(pdf: Uint8Array): Buffer {
  return execFileSync('pdftoppm', ['-r', '100'], { input: pdf, maxBuffer: 100_000_000 });
}

/** How many pictures are in a PDF. */
export function picturesIn(pdf: Uint8Array): number {
  const list = execFileSync('pdfimages', ['-list', '-'], {
    input: pdf,
    encoding: 'utf8',
    stdio: 'pipe',
  });
  return list.trim().split('\n').length - 2; // two lines of heading
}

/** The pixels of a PNG of ours: one IDAT, no filters. */
export function decodePng(png: Buffer): { width: number; height: number; rows: Buffer } {
  const at = png.indexOf('IDAT');
  const data = png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4));
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20), rows: inflateSync(data) };
}
