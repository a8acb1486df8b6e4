import { DocumentError } from '@millrace/documents';
import { OfficeError } from '@millrace/office';
import { expect, test } from 'vitest';
import { toProblem } from './problems.ts';

test('what says that it may be tried again is told so, whatever is usual for its code', () => {
  const starved = new DocumentError('conversion_timeout', 'It had no processor.', {
    retryable: true,
  });
  expect(toProblem(starved, 'c-1')).toMatchObject({ status: 504, retryable: true });
  const slow = new DocumentError('conversion_timeout', 'It was not done.');
  expect(toProblem(slow, 'c-1')).toMatchObject({ status: 504, retryable: false });
  const direct = new OfficeError('conversion_timeout', 'It had no processor.', true);
  expect(toProblem(direct, 'c-1')).toMatchObject({ status: 504, retryable: true });
});
