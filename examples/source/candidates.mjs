import { zip } from '@millrace/zip';

/** The candidates as a spreadsheet program saves them: dates are numbers that are shown as dates. */
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const DAY_MS = 86_400_000;
/** The style whose format is a date. */
const AS_DATE = 1;

/**
 * An XLSX with one sheet, of the cells of a CSV: ISO dates and numbers get their types.
 * @param {string} name
 * @param {readonly (readonly string[])[]} rows
 * @returns {Buffer}
 */
export function spreadsheet(name, rows) {
  const related = (
    /** @type {string} */ id,
    /** @type {string} */ type,
    /** @type {string} */ target,
  ) => `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
  const relations = (/** @type {string} */ all) =>
    `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${all}</Relationships>`;
  const override = (/** @type {string} */ part, /** @type {string} */ type) =>
    `<Override PartName="${part}" ContentType="${SHEET_TYPE}.${type}+xml"/>`;
  const sheet = rows.map(
    (cells, n) =>
      `<row r="${n + 1}">${cells.map((cell, at) => cellXml(cell, at, n)).join('')}</row>`,
  );
  return zip(
    {
      '[Content_Types].xml': `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override('/xl/workbook.xml', 'sheet.main')}${override('/xl/worksheets/sheet1.xml', 'worksheet')}${override('/xl/styles.xml', 'styles')}</Types>`,
      '_rels/.rels': relations(related('rId1', 'officeDocument', 'xl/workbook.xml')),
      'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="${name}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': relations(
        related('rId1', 'worksheet', 'worksheets/sheet1.xml') +
          related('rId2', 'styles', 'styles.xml'),
      ),
      'xl/styles.xml': `${HEAD}<styleSheet xmlns="${MAIN}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
      'xl/worksheets/sheet1.xml': `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>${sheet.join('')}</sheetData></worksheet>`,
    },
    9,
  );
}

/**
 * @param {string} text
 * @param {number} column
 * @param {number} row
 */
function cellXml(text, column, row) {
  const place = `${String.fromCharCode(65 + column)}${row + 1}`;
  if (/^\d{4}-\d\d-\d\d$/.test(text)) {
    const days = (Date.parse(text) - Date.UTC(1899, 11, 30)) / DAY_MS;
    return `<c r="${place}" s="${AS_DATE}"><v>${days}</v></c>`;
  }
  if (/^\d+(\.\d+)?$/.test(text)) return `<c r="${place}"><v>${text}</v></c>`;
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<c r="${place}" t="inlineStr"><is><t>${escaped}</t></is></c>`;
}
