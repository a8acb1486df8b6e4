/** The parts of WordprocessingML that the examples use. Lengths are twips: 567 are a centimetre. */

export const PAGE = { width: 11906, height: 16838 }; // A4
export const ACCENT = '1F5C66';
export const GREY = '5F6B6D';
export const RULE = 'C9D3D4';
export const TINT = 'EEF4F4';

/** @param {string} text */
export function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/**
 * A run of text; a tab in it is a tab.
 * @param {string} text
 * @param {string} [properties]
 */
export function run(text, properties = '') {
  const looks = properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`;
  const pieces = text
    .split('\t')
    .map((piece) => (piece === '' ? '' : `<w:t xml:space="preserve">${escaped(piece)}</w:t>`));
  return `<w:r>${looks}${pieces.join('<w:tab/>')}</w:r>`;
}

export const bold = (/** @type {string} */ text) => run(text, '<w:b/>');
export const grey = (/** @type {string} */ text) => run(text, `<w:color w:val="${GREY}"/>`);

/**
 * A paragraph in a style. Plain text becomes a run.
 * @param {string} styleId
 * @param {string | readonly string[]} [content]
 * @param {string} [properties]
 */
export function p(styleId, content = [], properties = '') {
  const runs = typeof content === 'string' ? [run(content)] : content;
  return `<w:p><w:pPr><w:pStyle w:val="${styleId}"/>${properties}</w:pPr>${runs.join('')}</w:p>`;
}

/** @param {'PAGE' | 'NUMPAGES'} name */
export function field(name) {
  return `<w:fldSimple w:instr=" ${name} "><w:r><w:t>1</w:t></w:r></w:fldSimple>`;
}

export const pageOfPages = [run('Page '), field('PAGE'), run(' of '), field('NUMPAGES')];

/**
 * @typedef {object} CellLooks
 * @property {number} [span] Columns of the grid.
 * @property {string} [fill]
 * @property {Readonly<Record<string, string>>} [borders] A colour by side.
 * @property {number} [thickness] Of its borders, in eighths of a point.
 * @property {'top' | 'center' | 'bottom'} [align]
 */

/**
 * @param {number} width
 * @param {readonly string[]} content
 * @param {CellLooks} [looks]
 */
export function cell(width, content, looks = {}) {
  const { span, fill, borders = {}, thickness = 4, align = 'top' } = looks;
  const sides = ['top', 'left', 'bottom', 'right']
    .filter((side) => borders[side] !== undefined)
    .map((side) => border(side, borders[side] ?? '', thickness));
  const properties = [
    `<w:tcW w:w="${width}" w:type="dxa"/>`,
    span === undefined ? '' : `<w:gridSpan w:val="${span}"/>`,
    sides.length === 0 ? '' : `<w:tcBorders>${sides.join('')}</w:tcBorders>`,
    fill === undefined ? '' : `<w:shd w:val="clear" w:color="auto" w:fill="${fill}"/>`,
    `<w:vAlign w:val="${align}"/>`,
  ];
  return `<w:tc><w:tcPr>${properties.join('')}</w:tcPr>${content.join('')}</w:tc>`;
}

/**
 * @param {string} side
 * @param {string} colour
 * @param {number} thickness
 */
export function border(side, colour, thickness = 4) {
  return `<w:${side} w:val="single" w:sz="${thickness}" w:space="0" w:color="${colour}"/>`;
}

/**
 * A row that stays on one page. A heading is repeated on each page that the table reaches.
 * @param {readonly string[]} cells
 * @param {{ heading?: boolean }} [looks]
 */
export function row(cells, { heading = false } = {}) {
  const repeat = heading ? '<w:tblHeader/>' : '';
  return `<w:tr><w:trPr><w:cantSplit/>${repeat}</w:trPr>${cells.join('')}</w:tr>`;
}

/**
 * @param {readonly number[]} grid The widths of its columns.
 * @param {readonly string[]} rows
 * @param {{ above?: number, below?: number, beside?: number }} [padding] Inside each cell.
 */
export function table(grid, rows, { above = 0, below = 0, beside = 0 } = {}) {
  const width = grid.reduce((sum, column) => sum + column, 0);
  const margins = { top: above, left: beside, bottom: below, right: beside };
  const padding = Object.entries(margins).map(
    ([side, w]) => `<w:${side} w:w="${w}" w:type="dxa"/>`,
  );
  return (
    `<w:tbl><w:tblPr><w:tblW w:w="${width}" w:type="dxa"/><w:tblLayout w:type="fixed"/>` +
    `<w:tblCellMar>${padding.join('')}</w:tblCellMar></w:tblPr>` +
    `<w:tblGrid>${grid.map((column) => `<w:gridCol w:w="${column}"/>`).join('')}</w:tblGrid>` +
    `${rows.join('')}</w:tbl>`
  );
}

/**
 * The logo, in line with the text. Each part of the file that shows it has its own number for it.
 * @param {number} id
 * @param {number} size In EMU: 360,000 are a centimetre.
 */
export function logoPicture(id, size) {
  const A = 'http://schemas.openxmlformats.org/drawingml/2006';
  return (
    '<w:r><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0">' +
    `<wp:extent cx="${size}" cy="${size}"/><wp:docPr id="${id}" name="Logo" descr="Logo: a mill wheel"/>` +
    `<a:graphic xmlns:a="${A}/main"><a:graphicData uri="${A}/picture"><pic:pic xmlns:pic="${A}/picture">` +
    `<pic:nvPicPr><pic:cNvPr id="${id}" name="logo.png"/><pic:cNvPicPr/></pic:nvPicPr>` +
    '<pic:blipFill><a:blip r:embed="rIdLogo"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>' +
    `<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="${size}" cy="${size}"/></a:xfrm>` +
    '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic>' +
    '</wp:inline></w:drawing></w:r>'
  );
}

/**
 * A paragraph style.
 * @param {string} name Its id is the name without spaces.
 * @param {string} paragraph
 * @param {string} [looks]
 * @param {string} [basedOn]
 */
export function style(name, paragraph, looks = '', basedOn = 'Normal') {
  const isNormal = name === 'Normal';
  return (
    `<w:style w:type="paragraph"${isNormal ? ' w:default="1"' : ''} w:styleId="${name.replaceAll(' ', '')}">` +
    `<w:name w:val="${name}"/>${isNormal ? '' : `<w:basedOn w:val="${basedOn}"/>`}<w:qFormat/>` +
    `<w:pPr>${paragraph}</w:pPr><w:rPr>${looks}</w:rPr></w:style>`
  );
}

/**
 * @param {number} before
 * @param {number} after
 * @param {number} [line] In 240ths of a line.
 */
export function spacing(before, after, line = 240) {
  return `<w:spacing w:before="${before}" w:after="${after}" w:line="${line}" w:lineRule="auto"/>`;
}

export const size = (/** @type {number} */ points) =>
  `<w:sz w:val="${points * 2}"/><w:szCs w:val="${points * 2}"/>`;
export const colour = (/** @type {string} */ value) => `<w:color w:val="${value}"/>`;
export const centre = '<w:jc w:val="center"/>';
export const right = '<w:jc w:val="right"/>';
export const keepNext = '<w:keepNext/>';
