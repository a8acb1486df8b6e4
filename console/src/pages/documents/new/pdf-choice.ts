import { z } from 'zod';

/** How the PDFs of a batch are written, as a form has it: an empty text is a wish that nobody has. */
export const pdfChoice = z.object({
  archive: z.enum(['', '1b', '2b', '3b']),
  accessible: z.boolean(),
  watermark: z.string(),
  pages: z.string(),
  /** The password itself is neither saved nor kept: whoever does the batch again types one again. */
  locked: z.boolean(),
});
export type PdfChoice = z.infer<typeof pdfChoice>;

export const PLAIN_PDF: PdfChoice = {
  archive: '',
  accessible: false,
  watermark: '',
  pages: '',
  locked: false,
};

interface Chosen {
  readonly format: 'PDF' | 'DOCX';
  readonly pdf: PdfChoice;
}

/** The query parameters for PDF options; none for Word files. */
export function pdfQueryOf({ format, pdf }: Chosen) {
  if (format !== 'PDF') return {};
  const { archive, accessible, watermark, pages } = pdf;
  return {
    ...(archive !== '' && { pdfA: archive }),
    ...(accessible && { pdfUa: 'true' as const }),
    ...(watermark.trim() !== '' && { watermark: watermark.trim() }),
    ...(pages.trim() !== '' && { pageRange: pages.trim() }),
  };
}

/** As the contract of the documents has it, which a test compares; the console is built without that package. */
const PASSWORD_HEADER = 'millrace-pdf-password';

/** The password goes as a header: addresses are logged. */
export function passwordHeaderOf({ format, pdf }: Chosen, password: string) {
  if (format !== 'PDF' || !pdf.locked) return {};
  return { headers: { [PASSWORD_HEADER]: encodeURIComponent(password) } };
}

/** Errors by field that block the run; the server would refuse them after the upload. */
export function wrongWith({ format, pdf }: Chosen, password: string) {
  if (format !== 'PDF') return { pages: null, password: null };
  const { archive, pages, locked } = pdf;
  const isRange = /^\d+(-\d*)?(,\d+(-\d*)?)*$/.test(pages.replaceAll(' ', ''));
  return {
    pages: isRange || pages.trim() === '' ? null : 'Write it like 1-3 or 1,4-5.',
    password: !locked
      ? null
      : archive !== ''
        ? 'PDF/A forbids a password. Leave one of the two out.'
        : password === ''
          ? 'The password is missing.'
          : null,
  };
}

/** The chosen options in a few words, for the folded section. */
export function pdfInWords({ archive, accessible, watermark, pages, locked }: PdfChoice): string {
  const words = [
    archive === '' ? null : `PDF/A-${archive}`,
    accessible ? 'PDF/UA' : null,
    watermark.trim() === '' ? null : `watermark “${watermark.trim()}”`,
    pages.trim() === '' ? null : `pages ${pages.trim()}`,
    locked ? 'password' : null,
  ];
  return words.filter((word) => word !== null).join(', ');
}
