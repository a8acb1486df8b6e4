import { expect, test } from 'vitest';
import { toProblem } from './problems.ts';

test('what a workload says of its own error is reported, whatever is usual for its code', () => {
  const ofWorkload = (retryable?: boolean) => () => ({
    code: 'conversion_timeout',
    detail: 'It had no processor.',
    ...(retryable !== undefined && { retryable }),
  });
  expect(toProblem('x', 'c-1', ofWorkload(true))).toMatchObject({ status: 504, retryable: true });
  expect(toProblem('x', 'c-1', ofWorkload())).toMatchObject({ status: 504, retryable: false });
});

test('a code that is in no table is ours to look into', () => {
  const odd = () => ({ code: 'made_up', detail: 'No.' });
  expect(toProblem('x', 'c-1', odd)).toMatchObject({ code: 'internal', status: 500 });
});
