import type { Context } from '../context.ts';
import { openInput, readAll } from '../input.ts';
import { type Values, choice, flag, text } from '../line/option.ts';
import { UsageError } from '../line/usage-error.ts';

/** PDF options, for the server and for the local LibreOffice. */
export const PDF_OPTIONS = {
  'pdf-a': choice(['1b', '2b', '3b'], 'PDF/A, for archives.'),
  'pdf-ua': flag('PDF/UA, for screen readers.'),
  watermark: text('TEXT', 'Large text across every page of a PDF.'),
  pages: text('RANGE', 'Only these pages of a PDF: 1-3, or 2,5-.'),
  'password-file': text('FILE', 'Its first line is the password of the PDF.'),
};

export interface PdfWishes {
  readonly pdfA?: '1b' | '2b' | '3b';
  readonly pdfUa?: boolean;
  readonly watermark?: string;
  readonly pages?: string;
  readonly password?: string;
}

/** Null where nothing was asked for. A password comes in a file: others can read what a command was called with. */
export async function pdfWishesOf(
  context: Context,
  given: Values<typeof PDF_OPTIONS>,
  format: 'pdf' | 'docx',
): Promise<PdfWishes | null> {
  const asked = Object.keys(PDF_OPTIONS).find((name) => Object.hasOwn(given, name));
  if (asked === undefined) return null;
  if (format !== 'pdf')
    throw new UsageError(`--${asked} applies to PDFs, and the format is ${format.toUpperCase()}.`);
  const file = given['password-file'];
  return {
    ...(given['pdf-a'] !== undefined && { pdfA: given['pdf-a'] }),
    ...(given['pdf-ua'] && { pdfUa: true }),
    ...(given.watermark !== undefined && { watermark: given.watermark }),
    ...(given.pages !== undefined && { pages: given.pages }),
    ...(file !== undefined && { password: await passwordIn(context, file) }),
  };
}

async function passwordIn(context: Context, file: string): Promise<string> {
  const [line = ''] = (await readAll(await openInput(context, file))).split(/\r?\n/);
  if (line === '')
    throw new UsageError(`The first line of "${file}" must be the password, and it is empty.`);
  return line;
}
