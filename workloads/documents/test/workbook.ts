import { zip } from '@millrace/zip';

/** An XLSX as spreadsheet programs write it, of cells in XML. */
export interface WorkbookParts {
  /** By name, the XML inside of `sheetData`, or of the whole `worksheet` after it. */
  readonly sheets?: Readonly<
    Record<string, string | { readonly rows: string; readonly after: string }>
  >;
  readonly hidden?: readonly string[];
  readonly strings?: readonly string[];
  /** The number formats of the styles 1, 2, 3 … */
  readonly formats?: readonly string[];
  readonly is1904?: boolean;
  /** Before the names of all elements: some programs write `x:row`. */
  readonly prefix?: string;
  readonly more?: Readonly<Record<string, string>>;
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATED = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

export function workbook(parts: WorkbookParts): Buffer {
  const {
    sheets = {},
    hidden = [],
    strings = [],
    formats = [],
    is1904 = false,
    prefix = '',
  } = parts;
  const names = Object.keys(sheets);
  const p = (xml: string) => (prefix === '' ? xml : xml.replace(/<(\/?)(?=\w)/g, `<$1${prefix}:`));
  const xmlns = prefix === '' ? 'xmlns' : `xmlns:${prefix}`;
  const listed = names.map(
    (name, n) =>
      `<sheet name="${name}" sheetId="${n + 1}" r:id="rId${n + 1}"${hidden.includes(name) ? ' state="hidden"' : ''}/>`,
  );
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATED}/${type}" Target="${target}"/>`;
  const relations = (all: string) =>
    `<Relationships xmlns="${PACKAGE}/relationships">${all}</Relationships>`;
  const codes = formats.map((code, n) => `<numFmt numFmtId="${200 + n}" formatCode="${code}"/>`);
  const styles = ['<xf numFmtId="0"/>', ...formats.map((_, n) => `<xf numFmtId="${200 + n}"/>`)];
  return zip({
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"/>`,
    '_rels/.rels': relations(relation('r1', 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': p(
      `<workbook ${xmlns}="${MAIN}" xmlns:r="${RELATED}"><workbookPr date1904="${is1904 ? 1 : 0}"/><sheets>${listed.join('')}</sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': relations(
      [
        ...names.map((_, n) =>
          relation(`rId${n + 1}`, 'worksheet', `worksheets/sheet${n + 1}.xml`),
        ),
        relation('rIdS', 'styles', 'styles.xml'),
        relation('rIdT', 'sharedStrings', '/xl/sharedStrings.xml'),
      ].join(''),
    ),
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${styles.join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${strings.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    ...Object.fromEntries(
      Object.values(sheets).map((sheet, n) => {
        const { rows, after } = typeof sheet === 'string' ? { rows: sheet, after: '' } : sheet;
        const xml = p(
          `<worksheet ${xmlns}="${MAIN}"><sheetData>${rows}</sheetData>${after}</worksheet>`,
        );
        return [`xl/worksheets/sheet${n + 1}.xml`, xml];
      }),
    ),
    ...parts.more,
  });
}

/** A row of texts, numbers and booleans, or cells in XML. */
export function row(line: number, ...cells: (string | number | boolean)[]): string {
  const xml = cells.map((cell, n) => {
    const place = `${String.fromCharCode(65 + n)}${line}`;
    if (cell === '') return '';
    if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`;
    if (typeof cell === 'boolean') return `<c r="${place}" t="b"><v>${cell ? 1 : 0}</v></c>`;
    if (cell.startsWith('<')) return `<c r="${place}"${cell.slice(1)}`;
    return `<c r="${place}" t="inlineStr"><is><t>${cell}</t></is></c>`;
  });
  return `<row r="${line}">${xml.join('')}</row>`;
}
