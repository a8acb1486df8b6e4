import { execFileSync } from 'node:child_process';
import { docxOf, paragraph } from '../src/page.ts';
import { encodePng } from '../src/program/thumbnail.ts';
import { zip } from '@millrace/zip';
import { external, field, picture } from './documents.ts';

/** Documents that want a picture of this machine's disk in the PDF, one for each way that was seen to work or to be tried. */
export function routesTo(url: string): Readonly<Record<string, Buffer>> {
  const svg = svgWith(url);
  const inData = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
  return {
    'svg.docx': withPart('svg', svg),
    'svg-in-data-uri.docx': withPart('svg', svgWith(inData)),
    'svg-called-png.docx': withPart('png', svg),
    'svg-called-emf.docx': withPart('emf', svg),
    'flat-odt.docx': flatOdt(url),
    'html.docx': Buffer.from(`<html><body><p>x</p><img src="${url}"></body></html>`),
    'linked.docx': docxOf({
      body: paragraph('linked') + picture('r:link="pic"', 1),
      relationships: external('pic', 'image', url),
    }),
    'include-picture.docx': docxOf({
      body: paragraph('included') + field(`INCLUDEPICTURE "${url}" \\d`),
    }),
    'odt.docx': odtAsDocx(url), // the last, since it takes a LibreOffice with a plain profile down
  };
}

/** A colour that nothing else on a page has. */
const CANARY = { red: 255, green: 0, blue: 200 };

export function canary(): Buffer {
  const size = { width: 50, height: 50, order: 'rgba' } as const;
  const pixel = Buffer.from([CANARY.red, CANARY.green, CANARY.blue, 255]);
  return encodePng(Buffer.alloc(size.width * size.height * 4, pixel), size);
}

/** Whether a page shows it. A picture may have become a JPEG: its colours are about the same. */
export function shows(pdf: Uint8Array): boolean {
  const ppm = execFileSync('pdftoppm', ['-r', '50'], { input: pdf, maxBuffer: 100_000_000 });
  const start = ppm.indexOf('\n255\n') + 5;
  for (let at = start; at + 2 < ppm.length; at += 3) {
    const [red = 0, green = 0, blue = 0] = ppm.subarray(at, at + 3);
    const isNear = red > 225 && green < 40 && Math.abs(blue - CANARY.blue) < 40;
    if (isNear) return true;
  }
  return false;
}

export function svgWith(href: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100" height="100"><image xlink:href="${href}" width="100" height="100"/></svg>`;
}

export function withPart(ending: string, content: string): Buffer {
  return docxOf({
    body: paragraph('picture') + picture('r:embed="pic"', 1),
    relationships: `<Relationship Id="pic" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/a.${ending}"/>`,
    parts: { [`word/media/a.${ending}`]: content },
  });
}

const ODF = 'urn:oasis:names:tc:opendocument:xmlns';
const ODT = 'application/vnd.oasis.opendocument.text';
const NAMES = `xmlns:office="${ODF}:office:1.0" xmlns:text="${ODF}:text:1.0" xmlns:draw="${ODF}:drawing:1.0" xmlns:svg="${ODF}:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"`;

function odfBody(url: string): string {
  return `<office:body><office:text><text:p>ODT<draw:frame text:anchor-type="as-char" svg:width="5cm" svg:height="5cm"><draw:image xlink:href="${url}" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame></text:p></office:text></office:body>`;
}

function flatOdt(url: string): Buffer {
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><office:document ${NAMES} office:version="1.3" office:mimetype="${ODT}">${odfBody(url)}</office:document>`,
  );
}

/** With all that a DOCX is recognised by at first sight. */
function odtAsDocx(url: string): Buffer {
  return zip({
    mimetype: ODT,
    'content.xml': `<?xml version="1.0" encoding="UTF-8"?><office:document-content ${NAMES} office:version="1.3">${odfBody(url)}</office:document-content>`,
    'META-INF/manifest.xml': `<?xml version="1.0"?><manifest:manifest xmlns:manifest="${ODF}:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="${ODT}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`,
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': '<x/>',
  });
}
