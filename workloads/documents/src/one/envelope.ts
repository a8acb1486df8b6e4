import { canonicalLocale } from '@millrace/docx';
import type { PdfOptions as OfficePdfOptions } from '@millrace/office';
import { z } from 'zod';
import { DocumentError } from '../errors.ts';

/** What a request for one document says. Unknown members are refused: a misspelt option must not be lost. */

/** Postgres keeps no NUL. */
function text(most: number, least = 1) {
  return z
    .string()
    .min(least)
    .max(most)
    .refine((given) => !given.includes('\u0000'), 'It holds a NUL character.');
}

export const pdfOptionsSchema = z.strictObject({
  pdfA: z.enum(['1b', '2b', '3b']).optional(),
  pdfUa: z.boolean().optional(),
  password: text(200).optional(),
  watermark: text(200, 0).optional(),
  /** "1-3", "2-", "1,4-5". */
  pageRange: text(200, 0).optional(),
});
export type PdfOptions = z.infer<typeof pdfOptionsSchema>;

export const outputFormatSchema = z.enum(['PDF', 'DOCX']);
export type OutputFormat = z.infer<typeof outputFormatSchema>;

const NO_LOCALE = 'It is no locale; write it like de-DE.';

function isLocale(given: string): boolean {
  return canonicalLocale(given) !== undefined;
}

const optionsSchema = z.strictObject({
  /** Text that is shown as a date, number or currency is written as in this locale. Rows of a spreadsheet have it. */
  dataLocale: text(50).refine(isLocale, NO_LOCALE).optional(),
  storeMergedDocx: z.boolean().default(false),
  returnDocxToBrowser: z.boolean().default(false),
  /** A field that the data lacks is an error. */
  strict: z.boolean().default(false),
  /** Who sees the file at its parents in Salesforce: left out, everybody who sees the parent. */
  visibility: z.enum(['AllUsers', 'InternalUsers']).optional(),
});

const parentId = text(100).nullish();
const parentsSchema = z.strictObject({
  AccountId: parentId,
  OpportunityId: parentId,
  CaseId: parentId,
  /** The record that the document was made from, whatever its object. */
  RecordId: parentId,
});

/** What one document and all documents of a batch say alike. */
const SETTINGS = {
  /** An immutable version (`tpl-7`), or a name, which means its newest version. */
  templateId: text(200),
  outputFormat: outputFormatSchema.default('PDF'),
  locale: text(50).default('en-US'),
  timezone: text(100).default('UTC'),
  options: optionsSchema.prefault({}),
  pdf: pdfOptionsSchema.optional(),
} as const;

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

export const envelopeSchema = z
  .strictObject({
    ...SETTINGS,
    outputFileName: text(500),
    data: z.record(z.string(), z.unknown()),
    parents: parentsSchema.nullish(),
    requestHash: text(200).nullish(),
    generatedDocumentId: text(100).nullish(),
    /** Whom the document is about: erased with everything else about them. */
    subject: text(200).nullish(),
  })
  .refine(pdfOptionsFit, PDF_ONLY);
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
  .refine(pdfOptionsFit, PDF_ONLY);
export type BatchSettings = z.infer<typeof batchSettingsSchema>;
export type BatchSettingsInput = z.input<typeof batchSettingsSchema>;

export function parseEnvelope(given: unknown): Envelope {
  return parseAs(envelopeSchema, given, 'request');
}

export function parseAs<T>(schema: z.ZodType<T>, given: unknown, what: string): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || what}: ${message}`);
  throw new DocumentError(
    'validation_error',
    `The ${what} does not fit: ${first.join('; ').replace(/\.$/, '')}.`,
  );
}

export function officeOptions(pdf: PdfOptions | undefined): OfficePdfOptions {
  const { pageRange, pdfA, pdfUa, password, watermark } = pdf ?? {};
  return {
    ...(pdfA !== undefined && { pdfA }),
    ...(pdfUa !== undefined && { pdfUa }),
    ...(password !== undefined && { password }),
    ...(watermark !== undefined && { watermark }),
    ...(pageRange !== undefined && { pages: pageRange }),
  };
}
