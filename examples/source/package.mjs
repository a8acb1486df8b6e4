import { logo } from './pictures.mjs';
import { PAGE, border, escaped } from './word.mjs';
import { zip } from '@millrace/zip';

/** The file around the text: what Word needs beside it. */

const SCHEMAS = 'http://schemas.openxmlformats.org';
const RELATIONS = `${SCHEMAS}/officeDocument/2006/relationships`;
const TYPES = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const NAMESPACES =
  `xmlns:w="${SCHEMAS}/wordprocessingml/2006/main" xmlns:r="${RELATIONS}"` +
  ` xmlns:wp="${SCHEMAS}/drawingml/2006/wordprocessingDrawing"`;
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/**
 * @typedef {object} Parts
 * @property {string} title
 * @property {string} font
 * @property {string} styles
 * @property {string} body
 * @property {string} header
 * @property {string} firstHeader
 * @property {string} footer
 * @property {number} margin Left and right.
 * @property {number} top
 * @property {number} bottom
 */

/**
 * @param {Parts} parts
 * @returns {Buffer} The DOCX.
 */
export function docx(parts) {
  const { title, body, header, firstHeader, footer } = parts;
  /** @type {readonly (readonly [name: string, kind: string, xml: string])[]} */
  const related = [
    ['styles', 'styles', stylesXml(parts)],
    ['settings', 'settings', settingsXml()],
    ['numbering', 'numbering', numberingXml()],
    ['header1', 'header', `<w:hdr ${NAMESPACES}>${firstHeader}</w:hdr>`],
    ['header2', 'header', `<w:hdr ${NAMESPACES}>${header}</w:hdr>`],
    ['footer1', 'footer', `<w:ftr ${NAMESPACES}>${footer}</w:ftr>`],
  ];
  return zip(
    {
      '[Content_Types].xml': contentTypes(related),
      '_rels/.rels': relationships([
        ['rId1', `${RELATIONS}/officeDocument`, 'word/document.xml'],
        [
          'rId2',
          `${SCHEMAS}/package/2006/relationships/metadata/core-properties`,
          'docProps/core.xml',
        ],
      ]),
      'docProps/core.xml':
        `${HEAD}<cp:coreProperties xmlns:cp="${SCHEMAS}/package/2006/metadata/core-properties" ` +
        `xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${escaped(title)}</dc:title></cp:coreProperties>`,
      'word/document.xml': `${HEAD}<w:document ${NAMESPACES}><w:body>${body}${sectionXml(parts)}</w:body></w:document>`,
      ...Object.fromEntries(related.map(([name, , xml]) => [`word/${name}.xml`, HEAD + xml])),
      'word/_rels/document.xml.rels': relationships([
        ...related.map(
          ([name, kind]) =>
            /** @type {const} */ ([`rId_${name}`, `${RELATIONS}/${kind}`, `${name}.xml`]),
        ),
        ['rIdLogo', `${RELATIONS}/image`, 'media/logo.png'],
      ]),
      'word/_rels/header1.xml.rels': relationships([
        ['rIdLogo', `${RELATIONS}/image`, 'media/logo.png'],
      ]),
      'word/media/logo.png': logo(),
    },
    9,
  );
}

/** @param {readonly (readonly [string, string, string])[]} related */
function contentTypes(related) {
  const overrides = [['document', 'document.main'], ...related].map(
    ([name, kind]) => `<Override PartName="/word/${name}.xml" ContentType="${TYPES}.${kind}+xml"/>`,
  );
  return (
    `${HEAD}<Types xmlns="${SCHEMAS}/package/2006/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>' +
    `${overrides.join('')}<Override PartName="/docProps/core.xml" ` +
    'ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>'
  );
}

/** @param {readonly (readonly [id: string, type: string, target: string])[]} all */
function relationships(all) {
  const each = all.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${type}" Target="${target}"/>`,
  );
  return `${HEAD}<Relationships xmlns="${SCHEMAS}/package/2006/relationships">${each.join('')}</Relationships>`;
}

/** The first page has a header of its own. */
function sectionXml(/** @type {Parts} */ { margin, top, bottom }) {
  return (
    '<w:sectPr><w:headerReference w:type="first" r:id="rId_header1"/>' +
    '<w:headerReference w:type="default" r:id="rId_header2"/>' +
    '<w:footerReference w:type="first" r:id="rId_footer1"/>' +
    '<w:footerReference w:type="default" r:id="rId_footer1"/>' +
    `<w:pgSz w:w="${PAGE.width}" w:h="${PAGE.height}"/>` +
    `<w:pgMar w:top="${top}" w:right="${margin}" w:bottom="${bottom}" w:left="${margin}" ` +
    'w:header="794" w:footer="624" w:gutter="0"/><w:titlePg/></w:sectPr>'
  );
}

function stylesXml(/** @type {Parts} */ { font, styles }) {
  return (
    `<w:styles ${NAMESPACES}><w:docDefaults><w:rPrDefault><w:rPr>` +
    `<w:rFonts w:ascii="${font}" w:hAnsi="${font}" w:eastAsia="${font}" w:cs="${font}"/>` +
    '<w:sz w:val="20"/><w:szCs w:val="20"/><w:lang w:val="en-US"/></w:rPr></w:rPrDefault></w:docDefaults>' +
    `${styles}</w:styles>`
  );
}

/** Word 2013 and later lay the page out in their own way, not in that of an older one. */
function settingsXml() {
  return (
    `<w:settings ${NAMESPACES}><w:compat><w:compatSetting w:name="compatibilityMode" ` +
    'w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat></w:settings>'
  );
}

/** One list: a dash. */
function numberingXml() {
  return (
    `<w:numbering ${NAMESPACES}><w:abstractNum w:abstractNumId="0"><w:multiLevelType w:val="singleLevel"/>` +
    '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="–"/><w:lvlJc w:val="left"/>' +
    '<w:pPr><w:ind w:left="397" w:hanging="284"/></w:pPr></w:lvl></w:abstractNum>' +
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
  );
}

/** A thin line above a paragraph. */
export const ruleAbove = (/** @type {string} */ colour) =>
  `<w:pBdr>${border('top', colour, 4).replace('w:space="0"', 'w:space="6"')}</w:pBdr>`;
