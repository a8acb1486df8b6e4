import { zip } from '@millrace/zip';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';

export interface Page {
  /** The inside of `w:body`, before its section. */
  readonly body: string;
  /** `Relationship` elements of the document part. */
  readonly relationships?: string;
  /** More parts of the package. */
  readonly parts?: Readonly<Record<string, string | Uint8Array>>;
}

/** The smallest DOCX that LibreOffice takes: four parts around the body. */
export function docxOf({ body, relationships = '', parts = {} }: Page): Buffer {
  return zip({
    '[Content_Types].xml': `${DECLARATION}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="${WORD}"/></Types>`,
    '_rels/.rels': `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/_rels/document.xml.rels': `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${relationships}</Relationships>`,
    'word/document.xml': `${DECLARATION}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${OFFICE}"><w:body>${body}<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr></w:body></w:document>`,
    ...parts,
  });
}

export function paragraph(text: string): string {
  return `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
}

/**
 * Converted once by every new process: the first document of a process costs 200 ms, the later ones 50
 * (filters, fonts and styles are loaded by then), and nobody should wait for that.
 */
export function warmUpPage(): Buffer {
  const cell = `<w:tc><w:tcPr><w:tcW w:w="4000" w:type="dxa"/></w:tcPr>${paragraph('1')}</w:tc>`;
  const table = `<w:tbl><w:tblPr><w:tblW w:w="4000" w:type="dxa"/></w:tblPr><w:tr>${cell}</w:tr></w:tbl>`;
  return docxOf({ body: `${paragraph('Warm')}${table}${paragraph('up')}` });
}

const OLE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);

/** Why this is no DOCX, or null. By content: LibreOffice would open anything under the name of a DOCX. */
export function whyNotDocx(bytes: Uint8Array): string | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.subarray(0, 4).equals(OLE))
    return 'It is an old Word file (.doc), or protected with a password. Save it as an open .docx.';
  const isZip = view.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'));
  if (isZip && view.includes('[Content_Types].xml') && view.includes('word/')) return null;
  return isZip ? 'It is a ZIP, but no Word document.' : 'It is not a DOCX file.';
}
