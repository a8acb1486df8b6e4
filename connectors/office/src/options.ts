import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { OfficeError } from './errors.ts';
import type { Version } from './find.ts';

export interface PdfOptions {
  /** An archive format: PDF/A-1b, PDF/A-2b or PDF/A-3b. */
  readonly pdfA?: '1b' | '2b' | '3b';
  /** PDF/UA: tagged for screen readers. */
  readonly pdfUa?: boolean;
  /** Asked for when the PDF is opened. */
  readonly password?: string;
  /** Printed large across every page. */
  readonly watermark?: string;
  /** Pages to keep: "1-3", "2-", "1,4-5". */
  readonly pages?: string;
}

/** SelectPdfVersion of LibreOffice's PDF export. */
const PDF_A = { '1b': 1, '2b': 2, '3b': 3 } as const;
const PAGES = /^\d+(-\d*)?(,\d+(-\d*)?)*$/;
const KNOWN = new Set(['pdfA', 'pdfUa', 'password', 'watermark', 'pages']);
/** Before 7.4 LibreOffice reads no JSON here, and would write a plain PDF without a word. */
const JSON_SINCE = { major: 7, minor: 4 };

type FilterData = Record<
  string,
  { readonly type: 'long' | 'boolean' | 'string'; readonly value: string }
>;

/** LibreOfficeKit passes over the settings that soffice goes by: its pictures have quality 80, and comments become notes. */
const AS_SOFFICE: FilterData = {
  Quality: { type: 'long', value: '90' },
  ExportNotes: { type: 'boolean', value: 'false' },
};

/**
 * The filter options for `saveAs`, as JSON; empty where it is not read. Throws `unsupported_option`. A password is checked here, and
 * used by `encrypt.ts`: LibreOffice 7.4 encrypts with RC4, which is broken.
 */
export function filterOptions(options: PdfOptions, version: Version): string {
  const data = askedFor(options);
  if (readsJson(version)) return JSON.stringify({ ...AS_SOFFICE, ...data });
  if (Object.keys(data).length === 0) return '';
  throw unsupported(
    `LibreOffice ${version.major}.${version.minor} writes plain PDF only: PDF/A, PDF/UA, watermarks and page ranges need 7.4 or later.`,
  );
}

function askedFor(options: PdfOptions): FilterData {
  refuseUnknown(options);
  const { pdfA, pdfUa, password, watermark, pages } = options;
  const data: FilterData = {};
  if (pdfA !== undefined) {
    if (!Object.hasOwn(PDF_A, pdfA))
      throw unsupported(`PDF/A-${pdfA} is unknown. Use 1b, 2b or 3b.`);
    data['SelectPdfVersion'] = { type: 'long', value: String(PDF_A[pdfA]) };
  }
  if (pdfUa === true) data['PDFUACompliance'] = { type: 'boolean', value: 'true' };
  if (password !== undefined) {
    if (password === '') throw unsupported('The password of a PDF must not be empty.');
    if (pdfA !== undefined)
      throw unsupported('PDF/A forbids a password. Leave one of the two out.');
    refuseWithoutEncryption();
  }
  if (watermark !== undefined && watermark !== '')
    data['Watermark'] = { type: 'string', value: watermark };
  if (pages !== undefined) {
    const range = pages.replaceAll(' ', '');
    if (!PAGES.test(range))
      throw unsupported(`"${pages}" is no range of pages. Write it like 1-3 or 1,4-5.`);
    data['PageRange'] = { type: 'string', value: range };
  }
  return data;
}

function readsJson({ major, minor }: Version): boolean {
  return major > JSON_SINCE.major || (major === JSON_SINCE.major && minor >= JSON_SINCE.minor);
}

/** A misspelt `pasword` must not yield a PDF that anybody can open. */
function refuseUnknown(options: object): void {
  const unknown = Object.keys(options).find((name) => !KNOWN.has(name));
  if (unknown !== undefined)
    throw unsupported(`There is no PDF option "${unknown}". There are: ${[...KNOWN].join(', ')}.`);
}

const ENCRYPTION = '@cantoo/pdf-lib';

/** A program that sets no passwords does without its 29 MB: the package is optional, and only the server installs it. */
export function refuseWithoutEncryption(
  resolve: (name: string) => string = createRequire(import.meta.url).resolve,
): void {
  try {
    resolve(ENCRYPTION);
  } catch {
    const manifest = new URL('../package.json', import.meta.url);
    const { peerDependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as {
      peerDependencies: Record<typeof ENCRYPTION, string>;
    };
    throw new OfficeError(
      'encryption_missing',
      `Passwords of PDFs need a package of their own: npm install ${ENCRYPTION}@${peerDependencies[ENCRYPTION]}.`,
    );
  }
}

function unsupported(message: string): OfficeError {
  return new OfficeError('unsupported_option', message);
}
