// The small files of a workbook, and what stands before and after the rows of a sheet.

import type { Column, ColumnType } from '../columns.ts';

/** The order of `cellXfs` below. */
export const STYLES = { header: 1, day: 2, second: 3, millisecond: 4 } as const;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SPREADSHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const SHEET_NAME_LENGTH = 31;
/** In characters. Rows that come later cannot widen a column whose width is written already. */
const WIDTHS: Record<ColumnType, number> = {
  text: 24,
  number: 14,
  decimal: 16,
  double: 16,
  boolean: 9,
  date: 20,
};
const MAX_WIDTH = 60;

export function rootRelations(): string {
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;
}

export function styles(): string {
  const formatted = (id: number, code: string) => `<numFmt numFmtId="${id}" formatCode="${code}"/>`;
  const cell = (format: number, font: number) =>
    `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0"${format > 0 ? ' applyNumberFormat="1"' : ''}${font > 0 ? ' applyFont="1"' : ''}/>`;
  const font = (bold: string) =>
    `<font>${bold}<sz val="11"/><name val="Calibri"/><family val="2"/></font>`;
  return (
    `${XML}<styleSheet xmlns="${MAIN}">` +
    `<numFmts count="3">${formatted(164, 'yyyy\\-mm\\-dd')}${formatted(165, 'yyyy\\-mm\\-dd\\ hh:mm:ss')}${formatted(166, 'yyyy\\-mm\\-dd\\ hh:mm:ss.000')}</numFmts>` +
    `<fonts count="2">${font('')}${font('<b/>')}</fonts>` +
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    `<cellXfs count="5">${cell(0, 0)}${cell(0, 1)}${cell(164, 0)}${cell(165, 0)}${cell(166, 0)}</cellXfs>` +
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
  );
}

export function sheetFile(number: number): string {
  return `xl/worksheets/sheet${number}.xml`;
}

export function sheetStart(columns: readonly Column[], number: number): string {
  const widths = columns.map(({ name, type }, i) => {
    const width = Math.min(Math.max(WIDTHS[type], name.length + 2), MAX_WIDTH);
    return `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`;
  });
  return (
    `${XML}<worksheet xmlns="${MAIN}">` +
    `<sheetViews><sheetView${number === 1 ? ' tabSelected="1"' : ''} workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>` +
    `<cols>${widths.join('')}</cols><sheetData>`
  );
}

export function sheetEnd(): string {
  return '</sheetData></worksheet>';
}

/** `escapedNames` of all sheets, in order. */
export function workbook(escapedNames: readonly string[]): string {
  const sheets = escapedNames.map(
    (name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`,
  );
  return `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets.join('')}</sheets></workbook>`;
}

export function workbookRelations(sheets: number): string {
  const relations = Array.from(
    { length: sheets },
    (_, i) =>
      `<Relationship Id="rId${i + 1}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${i + 1}.xml"/>`,
  );
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${relations.join('')}<Relationship Id="rId${sheets + 1}" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`;
}

export function contentTypes(sheets: number): string {
  const part = (name: string, type: string) =>
    `<Override PartName="/${name}" ContentType="${SPREADSHEET}.${type}+xml"/>`;
  const parts = Array.from({ length: sheets }, (_, i) => part(sheetFile(i + 1), 'worksheet'));
  return (
    `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
    `${part('xl/workbook.xml', 'sheet.main')}${part('xl/styles.xml', 'styles')}${parts.join('')}</Types>`
  );
}

/** The name of a sheet: 31 characters of the given one are kept. */
const MOST_READ = 200;

/**
 * The first sheet's name as Excel takes it, the others' with a number. What it does not take becomes a blank: a name is
 * a label, and no reason to refuse an export.
 */
export function sheetName(name: string, number: number): string {
  const allowed = name
    .slice(0, MOST_READ)
    .toWellFormed()
    .replace(/[[\]:*?/\\\p{Cc}\uFFFE\uFFFF]/gu, ' ')
    .replace(/^[' ]+|[' ]+$/g, '');
  // Excel keeps this one for itself.
  const label =
    allowed === '' || allowed.toLowerCase() === 'history' ? `Sheet ${allowed}`.trim() : allowed;
  const suffix = number === 1 ? '' : ` ${number}`;
  return shortened(label, SHEET_NAME_LENGTH - suffix.length) + suffix;
}

function shortened(text: string, length: number): string {
  return text
    .slice(0, length)
    .replace(/[\uD800-\uDBFF]$/, '')
    .replace(/[' ]+$/, '');
}
