import { z } from 'zod';

/** What a request for one document says. Unknown members are refused: a misspelt option must not be lost. */

/** Postgres keeps no NUL. */
function text(most: number, least = 1) {
  return z
    .string()
    .min(least)
    .max(most)
    .refine((given) => !given.includes('\u0000'), 'It holds a NUL character.');
}

/** As the office reads it: here a batch is refused as a whole, there each of its documents. */
function isRange(given: string): boolean {
  return /^\d+(-\d*)?(,\d+(-\d*)?)*$/.test(given.replaceAll(' ', ''));
}

export const pdfOptionsSchema = z.strictObject({
  pdfA: z.enum(['1b', '2b', '3b']).optional().describe('PDF/A, for archives.'),
  pdfUa: z.boolean().optional().describe('PDF/UA, for screen readers.'),
  password: text(200).optional().describe('Asked for when the PDF is opened; AES-256.'),
  watermark: text(200, 0).optional().describe('Large across every page.'),
  pageRange: text(200, 0)
    .refine(isRange, 'It is no range of pages; write it like 1-3 or 1,4-5.')
    .optional()
    .describe('Such as "1-3" or "2,5-".'),
});
export type PdfOptions = z.infer<typeof pdfOptionsSchema>;

export const outputFormatSchema = z.enum(['PDF', 'DOCX']);
export type OutputFormat = z.infer<typeof outputFormatSchema>;

const NO_LOCALE = 'It is no locale; write it like de-DE.';

/** Salesforce writes `de_DE`. "german" is a well-formed tag of no language, and would be written as the machine writes. */
function isLocale(given: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(given.replaceAll('_', '-')).length > 0;
  } catch {
    return false;
  }
}

const optionsSchema = z.strictObject({
  dataLocale: text(50)
    .refine(isLocale, NO_LOCALE)
    .optional()
    .describe(
      'How text that is shown as a date, number or currency is written in the data: de-DE.',
    ),
  storeMergedDocx: z.boolean().default(false).describe('Keeps the DOCX beside the PDF.'),
  returnDocxToBrowser: z.boolean().default(false).describe('Answers with the DOCX, not the PDF.'),
  strict: z.boolean().default(false).describe('A field that the data lacks is an error.'),
  visibility: z
    .enum(['AllUsers', 'InternalUsers'])
    .optional()
    .describe('Who of those that see a parent in Salesforce sees the file. AllUsers by default.'),
});

const parentId = text(100).nullish();
const parentsSchema = z.strictObject({
  AccountId: parentId,
  OpportunityId: parentId,
  CaseId: parentId,
  RecordId: parentId.describe('The record it was made from, of any object.'),
});

/** What one document and all documents of a batch say alike. */
const SETTINGS = {
  templateId: text(200).describe('A version (tpl-7), or a name for its newest version.'),
  outputFormat: outputFormatSchema.default('PDF').describe('PDF by default.'),
  locale: text(50).default('en-US').describe('en-US by default.'),
  timezone: text(100).default('UTC').describe('UTC by default.'),
  options: optionsSchema.prefault({}),
  pdf: pdfOptionsSchema.optional(),
} as const;

const OPEN_ARCHIVE = {
  path: ['pdf'],
  message: 'PDF/A forbids a password. Leave one of the two out.',
};

function isOpenArchive({ pdf }: { pdf?: PdfOptions | undefined }): boolean {
  return pdf?.pdfA === undefined || pdf.password === undefined;
}

const PDF_ONLY = {
  path: ['pdf'],
  message: 'These options are for PDF. Leave them out, or set outputFormat to PDF.',
};

function pdfOptionsFit({
  outputFormat,
  pdf,
}: {
  outputFormat: OutputFormat;
  pdf?: PdfOptions | undefined;
}): boolean {
  return outputFormat === 'PDF' || pdf === undefined;
}

const envelopeOf = (pdf: typeof pdfOptionsSchema) =>
  z
    .strictObject({
      ...SETTINGS,
      pdf: pdf.optional(),
      outputFileName: text(500),
      data: z.record(z.string(), z.unknown()),
      parents: parentsSchema
        .nullish()
        .describe('Records of Salesforce that the document belongs to.'),
      requestHash: text(200).nullish(),
      generatedDocumentId: text(100)
        .nullish()
        .describe(
          'A record of Salesforce that waits for the document; the header millrace-lease shows its lease.',
        ),
      subject: text(200).nullish().describe('Whom it is about, to be erased by.'),
    })
    .refine(pdfOptionsFit, PDF_ONLY)
    .refine(isOpenArchive, OPEN_ARCHIVE);

export const envelopeSchema = envelopeOf(pdfOptionsSchema);
/** As a job keeps it: a sealed password is longer. */
export const keptEnvelopeSchema = envelopeOf(
  pdfOptionsSchema.extend({ password: text(1_000).optional() }),
);
export type Envelope = z.infer<typeof envelopeSchema>;
export type EnvelopeInput = z.input<typeof envelopeSchema>;

export const batchSettingsSchema = z
  .strictObject({
    ...SETTINGS,
    // Once for all rows, before any of them is made.
    locale: SETTINGS.locale.refine(isLocale, NO_LOCALE),
    /** May name fields of the row: `Invoice {{Number}}`; `{{@number}}` counts from 1. */
    outputFileName: text(500).default('document-{{@number}}'),
    /** A field of the template that no column has is left empty, instead of refusing the batch. */
    allowMissing: z.boolean().default(false),
    /** Only so many of the first rows. */
    preview: z.number().int().min(1).max(1_000).optional(),
  })
  .refine(pdfOptionsFit, PDF_ONLY)
  .refine(isOpenArchive, OPEN_ARCHIVE);
export type BatchSettings = z.infer<typeof batchSettingsSchema>;
export type BatchSettingsInput = z.input<typeof batchSettingsSchema>;
