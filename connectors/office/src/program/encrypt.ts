import { PDFDocument } from '@cantoo/pdf-lib';

/** Whoever has the password may do everything. PDF/UA asks for the right of screen readers by name. */
const EVERYTHING = {
  printing: 'highResolution',
  modifying: true,
  copying: true,
  annotating: true,
  fillingForms: true,
  contentAccessibility: true,
  documentAssembly: true,
} as const;

/**
 * A PDF that opens with a password only, encrypted with AES-256 as PDF 2.0 has it (revision 6). LibreOffice
 * 7.4 itself uses RC4.
 */
export async function encryptPdf(pdf: Uint8Array, password: string): Promise<Uint8Array> {
  const document = await PDFDocument.load(pdf, {
    updateMetadata: false,
    throwOnInvalidObject: true,
  });
  document.encrypt({ userPassword: password, permissions: EVERYTHING, algorithm: 'AES-256' });
  return document.save({ addDefaultPage: false, updateFieldAppearances: false });
}
