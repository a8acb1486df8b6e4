import { deflated, writeZip } from '@millrace/zip';
import { readZip, unpack } from '../src/package/zip.ts';
import { DEFAULT_LIMITS } from '../src/limits.ts';

/** DOCX files made in code, as small as Word accepts them. */
export interface DocxOptions {
  readonly header?: string;
  readonly footer?: string;
  readonly footnotes?: string;
  readonly styles?: string;
  readonly settings?: string;
  /** Relationships of the document beside those of the parts above. */
  readonly relationships?: string;
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly overrides?: Readonly<Record<string, string>>;
  readonly mainType?: string;
  readonly section?: string;
}

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const R = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
export const NAMESPACES =
  `xmlns:w="${W}" xmlns:r="${R}"` +
  ' xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"' +
  ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"' +
  ' xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"' +
  ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"' +
  ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"' +
  ' xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"' +
  ' xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"' +
  ' xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml"';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
export const SECTION =
  '<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" w:header="567" w:footer="567" w:gutter="0"/>';

const DEFAULT_STYLES =
  '<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Liberation Sans" w:hAnsi="Liberation Sans"/><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>' +
  '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>';

export function docx(body: string, options: DocxOptions = {}): Buffer {
  const parts: [name: string, kind: string, xml: string][] = [
    ['styles', 'styles', `<w:styles ${NAMESPACES}>${options.styles ?? DEFAULT_STYLES}</w:styles>`],
  ];
  let references = '';
  if (options.header !== undefined) {
    parts.push(['header1', 'header', `<w:hdr ${NAMESPACES}>${options.header}</w:hdr>`]);
    references += '<w:headerReference w:type="default" r:id="rId_header1"/>';
  }
  if (options.footer !== undefined) {
    parts.push(['footer1', 'footer', `<w:ftr ${NAMESPACES}>${options.footer}</w:ftr>`]);
    references += '<w:footerReference w:type="default" r:id="rId_footer1"/>';
  }
  if (options.footnotes !== undefined) {
    const separators =
      '<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>' +
      '<w:footnote w:type="continuationSeparator" w:id="0"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>';
    parts.push([
      'footnotes',
      'footnotes',
      `<w:footnotes ${NAMESPACES}>${separators}${options.footnotes}</w:footnotes>`,
    ]);
  }
  if (options.settings !== undefined) {
    parts.push([
      'settings',
      'settings',
      `<w:settings ${NAMESPACES}>${options.settings}</w:settings>`,
    ]);
  }
  const section = options.section ?? `<w:sectPr>${references}${SECTION}</w:sectPr>`;
  const overrides: [string, string][] = [
    ['word/document.xml', options.mainType ?? `${TYPE}.document.main+xml`],
    ...parts.map(([name, kind]): [string, string] => [`word/${name}.xml`, `${TYPE}.${kind}+xml`]),
    ...Object.entries(options.overrides ?? {}),
  ];
  const files: Record<string, string | Buffer> = {
    '[Content_Types].xml':
      `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      '<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>' +
      overrides
        .map(([name, type]) => `<Override PartName="/${name}" ContentType="${type}"/>`)
        .join('') +
      '</Types>',
    '_rels/.rels': relationships(
      `<Relationship Id="rId1" Type="${R}/officeDocument" Target="word/document.xml"/>`,
    ),
    'word/_rels/document.xml.rels': relationships(
      parts
        .map(
          ([name, kind]) =>
            `<Relationship Id="rId_${name}" Type="${R}/${kind}" Target="${name}.xml"/>`,
        )
        .join('') + (options.relationships ?? ''),
    ),
    'word/document.xml': `${HEAD}<w:document ${NAMESPACES}><w:body>${body}${section}</w:body></w:document>`,
    ...Object.fromEntries(parts.map(([name, , xml]) => [`word/${name}.xml`, HEAD + xml])),
    ...options.files,
  };
  return zip(files);
}

export function relationships(inner: string): string {
  return `${HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${inner}</Relationships>`;
}

export function relationship(id: string, kind: string, target: string, external = false): string {
  return `<Relationship Id="${id}" Type="${R}/${kind}" Target="${target}"${external ? ' TargetMode="External"' : ''}/>`;
}

export function zip(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const packed = Object.entries(files).map(([name, data]) => deflated(name, Buffer.from(data), 6));
  return writeZip(packed);
}

/** A paragraph of plain runs. Several strings are several runs. */
export function p(...runs: readonly string[]): string {
  return `<w:p>${runs.map((text) => r(text)).join('')}</w:p>`;
}

export function r(text: string, properties = ''): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<w:r>${properties}<w:t xml:space="preserve">${escaped}</w:t></w:r>`;
}

/** A list item by its own numbering properties. */
export function li(text: string): string {
  return `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>${r(text)}</w:p>`;
}

export function tc(...paragraphs: readonly string[]): string {
  return `<w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr>${paragraphs.join('')}</w:tc>`;
}

/** A table of texts; a cell with markup of its own is passed through. */
export function table(rows: readonly (readonly string[])[]): string {
  const columns = rows[0]?.length ?? 0;
  const cell = (text: string) => tc(text.startsWith('<w:') ? text : p(text));
  const border = (side: string) =>
    `<w:${side} w:val="single" w:sz="4" w:space="0" w:color="888888"/>`;
  const borders = ['top', 'left', 'bottom', 'right', 'insideH', 'insideV'].map(border).join('');
  return (
    `<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/><w:tblBorders>${borders}</w:tblBorders></w:tblPr>` +
    `<w:tblGrid>${'<w:gridCol w:w="2000"/>'.repeat(columns)}</w:tblGrid>` +
    rows.map((row) => `<w:tr>${row.map(cell).join('')}</w:tr>`).join('') +
    '</w:tbl>'
  );
}

export const PAGE_BREAK = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>';

/** The files of a DOCX, by name. */
export function unzip(bytes: Uint8Array): Map<string, Buffer> {
  const buffer = Buffer.from(bytes);
  return new Map(readZip(buffer, DEFAULT_LIMITS).map((entry) => [entry.name, unpack(entry, 1e9)]));
}

export function partXml(bytes: Uint8Array, name = 'word/document.xml'): string {
  return unzip(bytes).get(name)?.toString('utf8') ?? '';
}

/** The body's content, without the document around it and the last section. */
export function bodyXml(bytes: Uint8Array): string {
  return (
    /<w:body>([^]*?)<w:sectPr>(?:(?!<w:sectPr>)[^])*<\/w:body>/.exec(partXml(bytes))?.[1] ?? ''
  );
}
