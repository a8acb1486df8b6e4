import { TemplateError } from '@millrace/docx';
import { JobFailure, StoreUnavailable } from '@millrace/engine';
import { OfficeError } from '@millrace/office';
import { expect, test } from 'vitest';
import { DocumentError, failureOf, storing } from './errors.ts';

test.each<[unknown, string, boolean]>([
  [new DocumentError('template_not_found', 'x'), 'template_not_found', false],
  [new DocumentError('validation_error', 'x'), 'validation_error', false],
  [new DocumentError('file_too_large', 'x'), 'unknown', false],
  [new TemplateError('missing_field', 'x'), 'validation_error', false],
  [new OfficeError('conversion_timeout', 'x'), 'conversion_timeout', false],
  [new OfficeError('conversion_timeout', 'x', true), 'conversion_timeout', true],
  [new OfficeError('conversion_failed', 'x'), 'conversion_failed', false],
  [new OfficeError('conversion_failed', 'x', true), 'conversion_failed', true],
  [new OfficeError('poisoned', 'x'), 'conversion_failed', false],
  [new OfficeError('office_missing', 'x'), 'conversion_failed', false],
  [new OfficeError('canceled', 'x', true), 'conversion_failed', true],
  [new OfficeError('unsupported_option', 'x'), 'validation_error', false],
  [new OfficeError('invalid_document', 'x'), 'validation_error', false],
  [storing(new StoreUnavailable('x')), 'upload_failed', true],
  [storing(Object.assign(new Error('x'), { code: '23503' })), 'upload_failed', true],
  [storing(new Error('x')), 'unknown', true],
  [new StoreUnavailable('x'), 'unknown', true],
  [new Error('x'), 'unknown', true],
  ['x', 'unknown', true],
])('%s', (thrown, code, retryable) => {
  expect(failureOf(thrown)).toMatchObject({ code, retryable });
});

test('a failure stays the failure it is', () => {
  const failure = new JobFailure('upload_failed', 'x', { retryAfterMs: 5 });
  expect(failureOf(failure)).toBe(failure);
});
