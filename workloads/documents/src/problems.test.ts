import { OfficeError } from '@millrace/office';
import { expect, test } from 'vitest';
import { DocumentError } from './errors.ts';
import { toProblem } from './problems.ts';

test('what says that it may be tried again is reported as that', () => {
  const starved = new DocumentError('conversion_timeout', 'It had no processor.', {
    retryable: true,
  });
  expect(toProblem(starved)).toMatchObject({ code: 'conversion_timeout', retryable: true });
  const direct = new OfficeError('conversion_timeout', 'It had no processor.', true);
  expect(toProblem(direct)).toMatchObject({ code: 'conversion_timeout', retryable: true });
  const slow = new DocumentError('conversion_timeout', 'It was not done.');
  expect(toProblem(slow)).toEqual({ code: 'conversion_timeout', detail: 'It was not done.' });
});

test('what is not of documents is not reported', () => {
  expect(toProblem(new Error('x'))).toBeNull();
  expect(toProblem(new DocumentError('unknown', 'x'))).toBeNull();
});
