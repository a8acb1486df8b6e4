import {
  type ZipEntry,
  DEFAULT_LIMITS,
  TemplateError,
  nearest,
  readZip,
  unpack,
} from '@millrace/docx';
import { type Format, formatOf } from './format.ts';
import { BadWorkbook, attribute, unescaped, visit } from './xml.ts';

/** What the cells of a sheet refer to, and the sheet itself. */
export interface Workbook {
  readonly strings: readonly string[];
  readonly formats: readonly Format[];
  readonly is1904: boolean;
  readonly sheet: { readonly name: string; readonly xml: string };
}

/** 100,000 rows of 20 columns are about 100 MB of XML. */
const INFLATED_BYTES = 200_000_000;
const LIMITS = { ...DEFAULT_LIMITS, inflatedBytes: INFLATED_BYTES };

export function openWorkbook(bytes: Uint8Array, asked: string | undefined): Workbook {
  const part = partsOf(bytes);
  const root = relations(part, '');
  const main = root.find(({ type }) => type === 'officeDocument')?.target;
  const book = main === undefined ? null : part(main);
  if (main === undefined || book === null || !/<(\w+:)?workbook[\s>]/.test(book))
    throw new BadWorkbook('The file is no XLSX: it holds no workbook.');
  const related = relations(part, main);
  const { sheets, is1904 } = sheetsOf(book);
  const there = sheets.filter(({ id }) =>
    related.some((one) => one.id === id && one.type === 'worksheet'),
  );
  const sheet = chosen(there, asked);
  const path = related.find(({ id }) => id === sheet.id)?.target ?? '';
  const other = (type: string) => {
    const target = related.find((one) => one.type === type)?.target;
    return target === undefined ? null : part(target);
  };
  const xml = part(path);
  if (xml === null) throw new BadWorkbook(`The XLSX lacks its sheet "${sheet.name}".`);
  const strings = other('sharedStrings');
  const styles = other('styles');
  return {
    strings: strings === null ? [] : stringsOf(strings),
    formats: styles === null ? [] : formatsOf(styles),
    is1904,
    sheet: { name: sheet.name, xml },
  };
}

type ReadPart = (path: string) => string | null;

function partsOf(bytes: Uint8Array): ReadPart {
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const entries = new Map<string, ZipEntry>(
      readZip(buffer, LIMITS).map((entry) => [entry.name.toLowerCase(), entry]),
    );
    return (path) => {
      const entry = entries.get(path.toLowerCase());
      return entry === undefined ? null : textOf(read(entry));
    };
  } catch (error) {
    throw broken(error);
  }
}

function read(entry: ZipEntry): Buffer {
  try {
    return unpack(entry, INFLATED_BYTES);
  } catch (error) {
    throw broken(error);
  }
}

function textOf(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return bytes.toString(isUtf16 ? 'utf16le' : 'utf8').replace(/^\ufeff/, '');
}

/** The reader of ZIP files is that of templates and speaks of them. */
function broken(error: unknown): unknown {
  if (!(error instanceof TemplateError)) return error;
  if (error.code === 'too_large')
    return new BadWorkbook(
      `The XLSX inflates to more than ${INFLATED_BYTES / 1_000_000} MB. Save the sheet as CSV.`,
    );
  return new BadWorkbook(`The file is no sound XLSX (${error.code}). Save it again.`);
}

interface Relation {
  readonly id: string;
  /** The last part of its address: transitional and strict files name the same by different ones. */
  readonly type: string;
  readonly target: string;
}

function relations(part: ReadPart, of: string): Relation[] {
  const folder = of.includes('/') ? of.slice(0, of.lastIndexOf('/') + 1) : '';
  const xml = part(`${folder}_rels/${of.slice(folder.length)}.rels`);
  const found: Relation[] = [];
  if (xml !== null)
    visit(xml, {
      open(name, attributes) {
        if (name !== 'Relationship') return;
        const { Id: id = '', Type: type = '', Target: target = '' } = attributes();
        const path = target.startsWith('/') ? target.slice(1) : resolved(folder, target);
        found.push({ id, type: type.slice(type.lastIndexOf('/') + 1), target: path });
      },
    });
  return found;
}

function resolved(folder: string, target: string): string {
  const steps = folder.split('/').slice(0, -1);
  for (const step of target.split('/'))
    if (step === '..') steps.pop();
    else if (step !== '.') steps.push(step);
  return steps.join('/');
}

interface Sheet {
  readonly name: string;
  readonly id: string;
  readonly isHidden: boolean;
}

function sheetsOf(xml: string): { sheets: Sheet[]; is1904: boolean } {
  const sheets: Sheet[] = [];
  let is1904 = false;
  visit(xml, {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = /^(1|true)$/.test(attributes()['date1904'] ?? '');
      if (name !== 'sheet') return;
      const given = attributes();
      const isHidden = (given['state'] ?? 'visible') !== 'visible';
      sheets.push({ name: given['name'] ?? '', id: attribute(given, 'id') ?? '', isHidden });
    },
  });
  return { sheets, is1904 };
}

/** The first that people see, or the one they name. */
function chosen(sheets: readonly Sheet[], asked: string | undefined): Sheet {
  const wanted = asked?.trim().toLowerCase();
  const found =
    wanted === undefined
      ? (sheets.find(({ isHidden }) => !isHidden) ?? sheets[0])
      : sheets.find(({ name }) => name.trim().toLowerCase() === wanted);
  if (found !== undefined) return found;
  if (asked === undefined) throw new BadWorkbook('The XLSX has no sheet with cells.');
  const names = sheets.map(({ name }) => name);
  const near = nearest(asked, names);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  throw new BadWorkbook(
    `The XLSX has no sheet "${asked}"; it has ${names
      .slice(0, 20)
      .map((name) => `"${name}"`)
      .join(', ')}.${hint}`,
  );
}

/** Text in runs is joined; readings of Japanese words beside them (rPh) are left out. */
function stringsOf(xml: string): string[] {
  const strings: string[] = [];
  let text: string | null = null;
  let isText = false;
  let reading = 0;
  visit(xml, {
    open(name) {
      if (name === 'si') text = '';
      else if (name === 'rPh') reading += 1;
      else if (name === 't') isText = reading === 0;
    },
    close(name) {
      if (name === 't') isText = false;
      else if (name === 'rPh') reading -= 1;
      else if (name === 'si') {
        strings.push(unescaped(text ?? ''));
        text = null;
      }
    },
    text(piece) {
      if (isText && text !== null) text += piece;
    },
  });
  return strings;
}

function formatsOf(xml: string): Format[] {
  const codes = new Map<number, string>();
  const formats: Format[] = [];
  let isCell = false;
  visit(xml, {
    open(name, attributes) {
      if (name === 'numFmt') {
        const { numFmtId, formatCode } = attributes();
        codes.set(Number(numFmtId), formatCode ?? '');
      } else if (name === 'cellXfs') isCell = true;
      else if (name === 'xf' && isCell) {
        const id = Number(attributes()['numFmtId'] ?? 0);
        formats.push(formatOf(id, codes.get(id)));
      }
    },
    close(name) {
      if (name === 'cellXfs') isCell = false;
    },
  });
  return formats;
}
