import { TemplateError } from '../errors.ts';

const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ENCRYPTED_STREAM = Buffer.from('EncryptedPackage', 'utf16le');

/** Judges the bytes, never the name. What is no zip is named, so that its owner knows what to do. */
export function refuseOtherFormats(bytes: Buffer): void {
  if (bytes.length === 0) throw no('not_a_docx', 'The file is empty.');
  if (bytes.subarray(0, 8).equals(OLE)) {
    throw bytes.includes(ENCRYPTED_STREAM)
      ? no('encrypted', 'The file is encrypted. Save it without a password.')
      : no('legacy_doc', 'The file is in the old .doc format. Save it as .docx.');
  }
  const head = bytes.toString('latin1', 0, 200).trimStart();
  if (head.startsWith('{\\rtf')) throw no('not_a_docx', 'The file is RTF. Save it as .docx.');
  if (head.startsWith('%PDF')) throw no('not_a_docx', 'The file is a PDF. A template is a .docx.');
  if (/^<(?:!doctype|html|\?xml)/i.test(head)) {
    throw no('not_a_docx', 'The file is HTML or bare XML. A template is a .docx.');
  }
  if (!head.startsWith('PK\u0003\u0004')) throw no('not_a_docx', 'The file is not a .docx.');
}

/** The media type that an OpenDocument or EPUB file states in its first entry. */
export function refuseOtherPackages(mimetype: string): void {
  if (mimetype.startsWith('application/vnd.oasis.opendocument')) {
    throw no('open_document', 'The file is in an OpenDocument format (.odt). Save it as .docx.');
  }
  throw no('not_a_docx', `The file is of type "${mimetype.slice(0, 80)}", not a .docx.`);
}

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const WITH_MACROS = 'application/vnd.ms-word';
const DOCUMENTS = new Set([
  `${WORD}.document.main+xml`,
  `${WORD}.template.main+xml`,
  `${WITH_MACROS}.document.macroEnabled.main+xml`,
  `${WITH_MACROS}.template.macroEnabledTemplate.main+xml`,
]);

/** What the package says it is: .docx, .dotx, .docm or .dotm, and nothing that only looks like one. */
export function refuseOtherDocuments(contentType: string): void {
  if (DOCUMENTS.has(contentType)) return;
  const what = contentType.includes('spreadsheetml')
    ? 'a spreadsheet'
    : contentType.includes('presentationml')
      ? 'a presentation'
      : 'no text document';
  throw no('not_a_docx', `The file is ${what}. A template is a .docx.`);
}

function no(
  code: 'not_a_docx' | 'encrypted' | 'legacy_doc' | 'open_document',
  message: string,
): TemplateError {
  return new TemplateError(code, message);
}
