import { escapeAttribute } from '../xml/text.ts';

const TRANSITIONAL = 'http://schemas.openxmlformats.org';
const STRICT = 'http://purl.oclc.org/ooxml';

/** A picture in the line, with all its namespaces: parts differ in what they declare. */
export function drawingXml(of: {
  cx: number;
  cy: number;
  id: number;
  relation: string;
  alt: string;
  svg: boolean;
  strictFormat: boolean;
}): string {
  const { cx, cy, id, relation, svg, strictFormat } = of;
  const name = `Picture ${id}`;
  const alt = of.alt === '' ? '' : ` descr="${escapeAttribute(of.alt)}"`;
  const main = strictFormat ? `${STRICT}/drawingml/main` : `${TRANSITIONAL}/drawingml/2006/main`;
  const wp = strictFormat
    ? `${STRICT}/drawingml/wordprocessingDrawing`
    : `${TRANSITIONAL}/drawingml/2006/wordprocessingDrawing`;
  const pic = strictFormat
    ? `${STRICT}/drawingml/picture`
    : `${TRANSITIONAL}/drawingml/2006/picture`;
  const r = strictFormat
    ? `${STRICT}/officeDocument/relationships`
    : `${TRANSITIONAL}/officeDocument/2006/relationships`;
  // Word reads an SVG from the extension, LibreOffice from the picture itself.
  const extension = svg
    ? '<a:extLst><a:ext uri="{96DAC541-7B7A-43D3-8B79-37D633B846F1}"><asvg:svgBlip' +
      ` xmlns:asvg="http://schemas.microsoft.com/office/drawing/2016/SVG/main" r:embed="${relation}"/></a:ext></a:extLst>`
    : '';
  return (
    `<w:drawing><wp:inline xmlns:wp="${wp}" distT="0" distB="0" distL="0" distR="0">` +
    `<wp:extent cx="${cx}" cy="${cy}"/><wp:docPr id="${id}" name="${name}"${alt}/>` +
    `<a:graphic xmlns:a="${main}"><a:graphicData uri="${pic}"><pic:pic xmlns:pic="${pic}">` +
    `<pic:nvPicPr><pic:cNvPr id="${id}" name="${name}"/><pic:cNvPicPr/></pic:nvPicPr>` +
    `<pic:blipFill><a:blip xmlns:r="${r}" r:embed="${relation}">${extension}</a:blip>` +
    '<a:stretch><a:fillRect/></a:stretch></pic:blipFill>' +
    `<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="${cx}" cy="${cy}"/></a:xfrm>` +
    '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr>' +
    '</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing>'
  );
}
