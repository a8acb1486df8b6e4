import type { PdfOptions as OfficePdfOptions } from '@millrace/office';
import type { z } from 'zod';
import { type Envelope, type PdfOptions, envelopeSchema } from '../contract/envelope.ts';
import { DocumentError } from '../errors.ts';

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
